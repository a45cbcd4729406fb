// synaps RPC v1 for one parent over one pair of pipes. Commands are taken strictly one after another; prompts and
// compactions only begin there, and what comes of them is told by the session itself. Every command has at most one
// response, and what the parent is told of a turn closes before the response that closes it.
import type { HostPort, SessionHandle, WatchItem } from "../../contract/host-port.ts"
import type { SessionId } from "../../contract/ids.ts"
import type { Refusal } from "../../contract/refusals.ts"
import type { SessionOptions } from "../../contract/session-options.ts"
import type { By } from "../../contract/values.ts"
import { busyMessage, errorFrame, leavingMessage, refusalMessage } from "../../protocols/rpc/errors.ts"
import type { ResponseFrame } from "../../protocols/rpc/frames.ts"
import type { Asked } from "../../protocols/rpc/link.ts"
import { receive, type ParentCommand, type RawLine, type Received } from "../../protocols/rpc/receive.ts"
import { rpcVersion } from "../../protocols/rpc/wire.ts"
import { Outbox, type Pipe } from "./outbox.ts"
import { answerTo, head, type Question } from "./questions.ts"
import { RefusedQuestion, SessionDesk, type DeskOptions, type Problem } from "./session-desk.ts"

export interface RpcDoorOptions {
  readonly port: HostPort
  readonly by: By
  /** For `new_session`: everything but the model, which is the one in use. */
  readonly wish: SessionOptions
  readonly extended: boolean
  /** How long after a prompt its failure may still be told as an error. */
  readonly errorWindowMs: number
  readonly pipe: Pipe
  /** Whether the parent is to be listened to. */
  readonly listen: (wanted: boolean) => void
  readonly newId: () => string
  readonly now: () => number
  /** Nobody here needs the session any more. */
  readonly onReplaced: (sessionId: SessionId) => Promise<void>
  /** The parent wants the child to end. */
  readonly onShutdown: () => void
  /** The session is in other hands. */
  readonly onLost: (refusal: Refusal) => void
  /** Something went wrong that the parent is told only in general words. */
  readonly onFault: (fault: unknown) => void
}

type Of<Type extends ParentCommand["type"]> = Extract<ParentCommand, { type: Type }>

/** Commands that may wait while one is at work. */
const mostWaiting = 256

export class RpcDoor {
  readonly #options: RpcDoorOptions
  readonly #outbox: Outbox
  readonly #deskOptions: DeskOptions
  readonly #inbox: Received[] = []
  readonly #quiet = new Set<() => void>()
  #desk: SessionDesk
  #isAtWork = false
  #isListening = true
  #isLeaving = false

  static async open(handle: SessionHandle, options: RpcDoorOptions): Promise<RpcDoor> {
    const outbox = new Outbox(options.pipe)
    let subagents = 0
    const doors: RpcDoor[] = []
    const deskOptions: DeskOptions = {
      port: options.port,
      outbox,
      link: { ...options, sink: outbox, numbers: { next: () => (subagents += 1) } },
      afterwards: (item) => doors.forEach((door) => door.#afterwards(item)),
    }
    const door = new RpcDoor(options, outbox, deskOptions, await SessionDesk.open(handle, deskOptions))
    doors.push(door)
    return door
  }

  private constructor(options: RpcDoorOptions, outbox: Outbox, deskOptions: DeskOptions, desk: SessionDesk) {
    this.#options = options
    this.#outbox = outbox
    this.#deskOptions = deskOptions
    this.#desk = desk
  }

  /** The first frame of all. Lines may be given to `receive` from now on. */
  greet(): void {
    const { sessionId, status } = this.#desk.link
    this.#outbox.answer({ type: "ready", session_id: sessionId, model: status.model, protocol_version: rpcVersion })
    this.#outbox.flush()
  }

  get sessionId(): SessionId {
    return this.#desk.link.sessionId
  }

  /** A turn or a compaction of the parent runs. */
  get owesParent(): boolean {
    return !this.#desk.link.isSettled
  }

  receive(line: RawLine): void {
    const received = receive(line, this.#options.extended)
    if (received.kind === "blank") return
    this.#inbox.push(received)
    this.#work()
  }

  /** The pipe to the parent has room again. */
  drained(): void {
    this.#outbox.drained()
    this.#desk.goOn().catch((fault: unknown) => {
      this.#options.onFault(fault)
      this.#options.onLost({ code: "host.gone" }) // without its events the parent would wait for ever
    })
    this.#hearOrNot()
  }

  interrupt(): Promise<Problem> {
    return this.#desk.interrupt()
  }

  /** Resolves when every command was answered and no turn of the parent runs. */
  quiet(): Promise<void> {
    return new Promise((resolve) => {
      this.#quiet.add(resolve)
      this.#settle()
    })
  }

  /** Writes what waits and tells nothing more. */
  close(): void {
    this.#desk.close()
    this.#outbox.flush()
  }

  #work(): void {
    while (!this.#isAtWork) {
      const next = this.#inbox.shift()
      if (next === undefined) break
      const work = this.#take(next)
      if (work === undefined) continue
      this.#isAtWork = true
      void work.finally(() => {
        this.#isAtWork = false
        this.#work()
      })
    }
    this.#hearOrNot()
    this.#settle()
  }

  /** Nothing when it is done already. */
  #take(received: Received): Promise<void> | undefined {
    if (received.kind === "blank") return undefined
    if (received.kind === "bad") return this.#refuse(received.id, received.message)
    const { command } = received
    try {
      return this.#do(command)?.catch((fault: unknown) => this.#failed(command, fault))
    } catch (fault) {
      this.#failed(command, fault)
      return undefined
    }
  }

  #do(command: ParentCommand): Promise<void> | undefined {
    switch (command.type) {
      case "prompt":
      case "follow_up":
        return this.#prompt(command)
      case "queue":
        return this.#queue(command)
      case "abort":
        return this.#done(this.#desk.interrupt(), { ...head(command), ok: true })
      case "compact":
        return this.#begin(command.id, this.#desk.compact(command.id))
      case "new_session":
        return this.#newSession(command)
      case "set_model":
        return this.#done(this.#desk.selectModel(command.model), { ...head(command), model: command.model })
      case "approve":
        return this.#done(this.#desk.approve(command.approval_id, command.approved), { ...head(command), ok: true })
      case "get_state":
      case "get_session_stats":
      case "get_messages":
      case "get_available_models":
      case "tools_list":
        return this.#question(command)
      case "shutdown":
        this.#isLeaving = true
        this.#options.onShutdown()
        return undefined
    }
  }

  #prompt(command: Of<"prompt" | "follow_up">): Promise<void> | undefined {
    if (this.#isLeaving) return this.#refuse(command.id, leavingMessage)
    const attachments = command.type === "prompt" ? (command.attachments ?? []) : []
    return this.#begin(command.id, this.#desk.prompt(this.#asked(command), command.message, attachments))
  }

  /** In a turn of the parent the words are for that turn and answered at once; else they are a turn like any other. */
  #queue(command: Of<"queue">): Promise<void> | undefined {
    if (this.#isLeaving) return this.#refuse(command.id, leavingMessage)
    const asked = this.#asked(command)
    if (!this.#desk.link.inTurn) return this.#begin(command.id, this.#desk.prompt(asked, command.message, []))
    return this.#done(this.#desk.steer(asked, command.message), { ...head(command), ok: true })
  }

  #asked({ id, type: command }: Of<"prompt" | "follow_up" | "queue">): Asked {
    return { id, command, promptId: `prm_${this.#options.newId()}`, at: this.#options.now() }
  }

  async #newSession(command: Of<"new_session">): Promise<void> {
    const { port, by, wish } = this.#options
    const { link } = this.#desk
    if (link.isBusy) return this.#refuse(command.id, busyMessage)
    const created = await port.create({ ...wish, model: link.status.model }, by)
    if (created.kind === "refused") return this.#refuse(command.id, refusalMessage(created.refusal))
    const desk = await SessionDesk.open(created.handle, this.#deskOptions)
    this.#desk.close()
    this.#desk = desk
    this.#outbox.answer({ ...head(command), session_id: desk.link.sessionId })
    await this.#options.onReplaced(link.sessionId)
  }

  #question(question: Question): Promise<void> | undefined {
    const answer = answerTo(this.#desk, question)
    if (answer instanceof Promise) return answer.then((answered) => this.#outbox.answer(answered))
    this.#outbox.answer(answer)
    return undefined
  }

  /** What is begun here ends by itself; only a refusal is an answer. */
  async #begin(id: string, begun: Promise<Problem>): Promise<void> {
    const problem = await begun
    if (problem !== undefined) this.#refuse(id, problem)
  }

  async #done(doing: Promise<Problem>, answer: ResponseFrame): Promise<void> {
    const problem = await doing
    if (problem === undefined) this.#outbox.answer(answer)
    else this.#refuse(answer.id, problem)
  }

  #refuse(id: string | undefined, message: string): undefined {
    this.#outbox.answer(errorFrame(id, message))
  }

  #failed(command: ParentCommand, fault: unknown): void {
    const isRefusal = fault instanceof RefusedQuestion
    if (!isRefusal) this.#options.onFault(fault)
    const id = "id" in command ? (command.id ?? undefined) : undefined
    this.#refuse(id, isRefusal ? fault.message : "the child could not do that")
  }

  #afterwards(item: WatchItem): void {
    if (item.kind === "lost") this.#options.onLost(item.refusal)
    if (item.kind === "event") this.#settle()
  }

  /** A parent that asks more than it reads is not listened to until it has read. */
  #hearOrNot(): void {
    const wanted = !this.#outbox.hasUnreadAnswers && this.#inbox.length < mostWaiting
    if (wanted === this.#isListening) return
    this.#isListening = wanted
    this.#options.listen(wanted)
  }

  #settle(): void {
    if (this.#quiet.size === 0 || this.#isAtWork || this.#inbox.length > 0 || !this.#desk.link.isSettled) return
    for (const resolve of this.#quiet) resolve()
    this.#quiet.clear()
  }
}
