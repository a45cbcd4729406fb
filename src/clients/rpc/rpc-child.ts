// One child from its start to its end: frames in and out, answers to whoever asked, events to the turn they belong to.
// Events carry no turn's id: they belong to the oldest turn that has not seen its `agent_end`. It never starts itself
// anew: that is for the succession.
import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import type { ExtendedCommand, RpcCommand } from "../../protocols/rpc/frames.ts"
import { maxFrameBytes, rpcVersion } from "../../protocols/rpc/wire.ts"
import { LineSplitter } from "../../transports/framing/lines.ts"
import { ChildProcess, type ProcessOptions, type StopWaits } from "./child-process.ts"
import * as faults from "./faults.ts"
import type { Flow } from "./flow.ts"
import { saysBusy, type OpenTurn } from "./open-turn.ts"
import { PendingAnswers, type Patience, type Response } from "./pending-answers.ts"
import { readEvent, type ChildEvent } from "./read-event.ts"

type WithoutId<Command> = Command extends { type: "shutdown" } ? never : Omit<Command, "id">
export type Asked = WithoutId<RpcCommand | ExtendedCommand>
export type TurnCommand = Extract<Asked, { type: "prompt" | "follow_up" }>
export type Ready = Extract<ChildEvent, { type: "ready" }>

export interface ChildOptions extends Omit<ProcessOptions, "onOutput"> {
  readonly flow: Flow
  readonly readyMs: number
  readonly onEvent: (event: ChildEvent, weight: number) => void
  readonly onNoise: ((what: string) => void) | undefined
}

/** A line of the child's output: histories come whole. */
const maxLineBytes = 256 * 1024 * 1024
/** What may wait to be taken by a child that does not read. */
const maxWaitingBytes = 8 * 1024 * 1024
/** How long a failing turn may take from its `error` to its `response`. */
const closingMs = 5000
/** How far a response may lie behind the news that the child is idle. */
const straggleMs = 50

export class RpcChild {
  readonly ready: Promise<Ready>
  readonly ended: Promise<faults.ChildEnd>
  readonly #options: ChildOptions
  readonly #process: ChildProcess
  readonly #pending: PendingAnswers
  readonly #greeting = Promise.withResolvers<Ready>()
  #turns: OpenTurn[] = []
  #closedFor: Error | undefined
  #lost: Error | undefined

  constructor(options: ChildOptions) {
    this.#options = options
    this.#pending = new PendingAnswers(options.flow)
    const lines = new LineSplitter(maxLineBytes, (line) => {
      const read = readEvent(line)
      if (read.kind === "event") this.#hear(read.event, read.weight)
      if (read.kind === "noise") options.onNoise?.(read.what)
    })
    this.#process = new ChildProcess({ ...options, onOutput: (chunk) => this.#receive(lines, chunk) })
    options.flow.onChange(() => this.#process.setReading(options.flow.mayRead()))
    this.ended = this.#watch(lines)
    this.ended.catch(() => {}) // `ready` says it
    this.ready = this.#greet()
    this.ready.catch(() => {})
  }

  get pid(): number | undefined {
    return this.#process.pid
  }

  get stderr(): string {
    return this.#process.stderr
  }

  async ask(command: Asked, patience: Patience): Promise<Response> {
    patience.signal?.throwIfAborted()
    const id = randomUUID()
    const line = this.#encode({ ...command, id })
    const answer = this.#pending.wait(id, command.type, patience)
    this.#process.write(line)
    return answer
  }

  /** Whatever comes of it is told to the turn. */
  begin(turn: OpenTurn, command: TurnCommand): void {
    try {
      const line = this.#encode({ ...command, id: turn.id })
      this.#turns = [...this.#turns, turn]
      this.#process.write(line)
    } catch (fault) {
      turn.fail(faults.asError(fault))
    }
    const forget = () => this.#forget(turn)
    turn.end.then(forget, forget)
  }

  /** Does not return before the process is gone. What it still owes then fails for this reason. */
  async close(waits: StopWaits, reason: Error): Promise<void> {
    this.#closedFor ??= reason
    this.#process.write(`${JSON.stringify({ type: "shutdown" })}\n`)
    await this.#process.stop(waits)
  }

  #encode(frame: Record<string, unknown> & { readonly type: string }): string {
    if (this.#lost !== undefined) throw this.#lost
    const line = JSON.stringify(frame, (_, value: unknown) =>
      typeof value === "string" ? value.toWellFormed() : value,
    )
    const bytes = Buffer.byteLength(line)
    if (bytes > maxFrameBytes) throw new faults.RpcFrameTooLarge(frame.type, bytes, maxFrameBytes)
    if (this.#process.waiting > maxWaitingBytes) throw new faults.RpcNotReading(this.#process.waiting)
    return `${line}\n`
  }

  #receive(lines: LineSplitter, chunk: Uint8Array): void {
    lines.push(chunk)
    this.#process.setReading(this.#options.flow.mayRead())
  }

  #hear(event: ChildEvent, weight: number): void {
    this.#options.onEvent(event, weight)
    switch (event.type) {
      case "ready":
        return this.#greeting.resolve(event)
      case "message_update":
        return this.#running()?.take(event.event, weight)
      case "subagent_start":
      case "subagent_update":
      case "subagent_done":
      case "approval":
        return this.#running()?.take(event, weight)
      case "agent_end":
        return this.#running()?.agentEnded(event.usage)
      case "response":
        return this.#answer(event)
      case "error":
        return this.#refuse(event.id ?? undefined, event.message)
    }
  }

  #running(): OpenTurn | undefined {
    return this.#turns.find((turn) => turn.takesEvents)
  }

  /** Some children announce beforehand, under the same id, what they are about to disclose: that is no answer. */
  #answer(response: Response): void {
    if (response.command.endsWith(".disclosure")) return
    const turn = this.#turns.find(({ id }) => id === response.id)
    if (turn === undefined) this.#pending.answer(response)
    else turn.answered(response)
  }

  #refuse(id: string | undefined, reason: string): void {
    if (id === undefined) return // about a line that it could not read; whoever reads all events sees it
    const turn = this.#turns.find((open) => open.id === id)
    if (turn === undefined) return this.#pending.refuse(id, reason)
    turn.erred(reason)
    if (saysBusy(reason) && !turn.hasBegun) return turn.erredForGood()
    void this.#awaitClose(turn)
  }

  /** After an error a turn that had begun still gets its `agent_end` and `response`; one that was refused does not.
   *  The child's own state tells which, and the next prompt is safe only after the last frame of this one. */
  async #awaitClose(turn: OpenTurn): Promise<void> {
    const isStreaming = await this.ask({ type: "get_state" }, { timeoutMs: closingMs }).then(
      (state) => state["streaming"] === true,
      () => false,
    )
    const ms = isStreaming || turn.hasBegun ? closingMs : straggleMs
    await Promise.race([turn.end.catch(() => {}), sleep(ms, undefined, { ref: false })])
    turn.erredForGood()
  }

  #forget(turn: OpenTurn): void {
    this.#turns = this.#turns.filter((other) => other !== turn)
  }

  async #greet(): Promise<Ready> {
    const { readyMs } = this.#options
    const late = setTimeout(() => this.#greeting.reject(new faults.RpcTimeout("ready", readyMs)), readyMs)
    try {
      const ready = await this.#greeting.promise
      if (ready.protocol_version !== rpcVersion) throw new faults.RpcVersionMismatch(ready.protocol_version)
      return ready
    } finally {
      clearTimeout(late)
    }
  }

  async #watch(lines: LineSplitter): Promise<faults.ChildEnd> {
    try {
      const end = await this.#process.ended
      lines.end()
      this.#lose(this.#closedFor ?? new faults.RpcChildEnded(end))
      return end
    } catch (fault) {
      const { commandLine, cwd } = this.#options
      const notStarted = new faults.RpcNotStarted(commandLine[0], cwd, faults.asError(fault))
      this.#lose(notStarted)
      throw notStarted
    }
  }

  /** Nobody waits for ever on a child that is gone. */
  #lose(fault: Error): void {
    this.#lost = fault
    this.#greeting.reject(fault)
    this.#pending.fail(fault)
    for (const turn of this.#turns) turn.fail(fault)
  }
}
