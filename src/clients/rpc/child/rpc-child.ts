// One child from start to end: sends commands, assigns responses to requests and events to turns. Events carry no turn
// id: they belong to the oldest turn without an `agent_end`. Restarting is not done here (restarting-child.ts).
import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import type { ExtendedCommand, RpcCommand } from "../../../protocols/rpc/frames.ts"
import { maxFrameBytes, rpcVersion } from "../../../protocols/rpc/limits.ts"
import { LineSplitter } from "../../../transports/framing/lines.ts"
import { errorOf } from "../../base/fault.ts"
import { PendingRequests, type WaitOptions } from "../../base/pending-requests.ts"
import * as faults from "../faults.ts"
import { isBusyError, reasonIn, type OpenTurn } from "../open-turn.ts"
import { ChildProcess, type ProcessOptions, type StopWaits } from "./child-process.ts"
import type { Flow } from "./flow.ts"
import { readEvent, type ChildEvent, type Ready, type Response } from "./read-event.ts"

type WithoutId<Frame> = Frame extends { type: "shutdown" } ? never : Omit<Frame, "id">
export type Command = WithoutId<RpcCommand | ExtendedCommand>
export type TurnCommand = Extract<Command, { type: "prompt" | "follow_up" }>

export interface ChildOptions extends Omit<ProcessOptions, "onOutput"> {
  readonly flow: Flow
  readonly readyMs: number
  readonly onEvent: (event: ChildEvent, weight: number) => void
  readonly onNoise?: ((what: string) => void) | undefined
}

/** Bytes in a line of output: a history is one line. */
const MAX_LINE_BYTES = 256 * 1024 * 1024
/** Bytes that a child which does not read may leave unread. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024
/** How long a failing turn may take from its `error` to its `response`. */
const FAILURE_MS = 5000
/** How long a response may arrive after the child reports that it is idle. */
const LATE_RESPONSE_MS = 50

export class RpcChild {
  readonly ready: Promise<Ready>
  readonly ended: Promise<faults.ChildEnd>
  readonly #options: ChildOptions
  readonly #process: ChildProcess
  readonly #pending = new PendingRequests<string, Response>((command, ms) => new faults.RpcTimeout(command, ms))
  readonly #greeting = Promise.withResolvers<Ready>()
  #turns: OpenTurn[] = []
  #closeReason: Error | undefined
  #fault: Error | undefined

  constructor(options: ChildOptions) {
    this.#options = options
    const lines = new LineSplitter(MAX_LINE_BYTES, (line) => {
      const read = readEvent(line)
      if (read.kind === "event") this.#receive(read.event, read.weight)
      if (read.kind === "noise") options.onNoise?.(read.what)
    })
    const updateReading = () => this.#process.setReading(options.flow.mayRead())
    const onOutput = (chunk: Uint8Array) => {
      lines.push(chunk)
      updateReading()
    }
    this.#process = new ChildProcess({ ...options, onOutput })
    options.flow.onChange(updateReading)
    this.ended = this.#awaitEnd(lines)
    this.ended.catch(() => {}) // `ready` reports it
    this.ready = this.#awaitReady()
    this.ready.catch(() => {})
  }

  get pid(): number | undefined {
    return this.#process.pid
  }

  get stderr(): string {
    return this.#process.stderr
  }

  async request(command: Command, options: WaitOptions): Promise<Response> {
    options.signal?.throwIfAborted()
    const id = randomUUID()
    const line = this.#encode({ ...command, id })
    const read = (response: Response) => successfulResponse(command.type, response)
    const response = this.#options.flow.awaiting(this.#pending.wait(id, { name: command.type, read, ...options }))
    this.#process.write(line)
    return response
  }

  /** Never throws: a fault ends the turn. */
  startTurn(turn: OpenTurn, command: TurnCommand): void {
    try {
      const line = this.#encode({ ...command, id: turn.id })
      this.#turns = [...this.#turns, turn]
      this.#process.write(line)
    } catch (fault) {
      turn.fail(errorOf(fault, faults.RpcFault))
    }
    void turn.over.then(() => this.#remove(turn))
  }

  #remove(turn: OpenTurn): void {
    this.#turns = this.#turns.filter((other) => other !== turn)
  }

  /** Returns when the process is gone. Pending requests are rejected with `reason`. */
  async close(waits: StopWaits, reason: Error): Promise<void> {
    this.#closeReason ??= reason
    this.#process.write(`${JSON.stringify({ type: "shutdown" })}\n`)
    await this.#process.stop(waits)
  }

  #encode(frame: Record<string, unknown> & { readonly type: string }): string {
    if (this.#fault !== undefined) throw this.#fault
    const line = JSON.stringify(frame, (_, value: unknown) =>
      typeof value === "string" ? value.toWellFormed() : value,
    )
    const bytes = Buffer.byteLength(line)
    const { waitingBytes } = this.#process
    if (bytes > maxFrameBytes) throw new faults.RpcFrameTooLarge(frame.type, bytes, maxFrameBytes)
    if (waitingBytes > MAX_WAITING_BYTES) throw new faults.RpcNotReading(waitingBytes)
    return `${line}\n`
  }

  #receive(event: ChildEvent, weight: number): void {
    this.#options.onEvent(event, weight)
    switch (event.type) {
      case "ready":
        return this.#greeting.resolve(event)
      case "message_update":
        return this.#running()?.addEvent(event.event, weight)
      case "subagent_start":
      case "subagent_update":
      case "subagent_done":
      case "approval":
        return this.#running()?.addEvent(event, weight)
      case "agent_end":
        return this.#running()?.endEvents(event.usage)
      case "response":
        return this.#receiveResponse(event)
      case "error":
        return this.#receiveError(event.id ?? undefined, event.message)
    }
  }

  #running(): OpenTurn | undefined {
    return this.#turns.find((turn) => turn.takesEvents)
  }

  /** Some children announce a disclosure under the same id first: that is not the response. */
  #receiveResponse(response: Response): void {
    if (response.command.endsWith(".disclosure")) return
    const turn = this.#turns.find(({ id }) => id === response.id)
    if (turn === undefined) this.#pending.answer(response.id, response)
    else turn.endWithResponse(response)
  }

  #receiveError(id: string | undefined, reason: string): void {
    if (id === undefined) return // about a line that the child could not parse; readers of all events get it
    const turn = this.#turns.find((open) => open.id === id)
    if (turn === undefined) return this.#pending.reject(id, (command) => new faults.RpcRefused(command, reason))
    turn.setError(reason)
    if (isBusyError(reason) && !turn.hasStarted) return turn.endWithError()
    void this.#awaitTurnEnd(turn)
  }

  /** After an error, a started turn still gets its `agent_end` and `response`; a refused one does not. The child's state
   *  tells which, and the next prompt is safe only after the last frame of this turn. */
  async #awaitTurnEnd(turn: OpenTurn): Promise<void> {
    const isStreaming = await this.request({ type: "get_state" }, { timeoutMs: FAILURE_MS }).then(
      (state) => state["streaming"] === true,
      () => false,
    )
    const ms = isStreaming || turn.hasStarted ? FAILURE_MS : LATE_RESPONSE_MS
    await Promise.race([turn.over, sleep(ms, undefined, { ref: false })])
    turn.endWithError()
  }

  async #awaitReady(): Promise<Ready> {
    const { readyMs } = this.#options
    const timer = setTimeout(() => this.#greeting.reject(new faults.RpcTimeout("ready", readyMs)), readyMs)
    try {
      const ready = await this.#greeting.promise
      if (ready.protocol_version !== rpcVersion) throw new faults.RpcVersionMismatch(ready.protocol_version)
      return ready
    } finally {
      clearTimeout(timer)
    }
  }

  async #awaitEnd(lines: LineSplitter): Promise<faults.ChildEnd> {
    try {
      const end = await this.#process.ended
      lines.end()
      this.#fail(this.#closeReason ?? new faults.RpcChildEnded(end))
      return end
    } catch (fault) {
      const { commandLine, cwd } = this.#options
      const notStarted = new faults.RpcNotStarted(commandLine[0], cwd, errorOf(fault, faults.RpcFault))
      this.#fail(notStarted)
      throw notStarted
    }
  }

  #fail(fault: Error): void {
    this.#fault = fault
    this.#greeting.reject(fault)
    this.#pending.rejectAll(() => fault)
    for (const turn of this.#turns) turn.fail(fault)
  }
}

function successfulResponse(command: string, response: Response): Response {
  if (response["ok"] === false) throw new faults.RpcRefused(command, reasonIn(response))
  return response
}
