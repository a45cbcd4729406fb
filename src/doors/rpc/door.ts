// synaps RPC v1 for one parent over one pair of pipes. Commands are carried out strictly one after another; a prompt or a
// compaction only begins there, and its view sends what follows. Every command has at most one response, and all frames
// of a turn come before the response that closes it.
import type { HostPort, SessionHandle, WatchItem } from "../../contract/host-port.ts"
import type { SessionId } from "../../contract/ids.ts"
import type { Refusal } from "../../contract/refusals.ts"
import type { SessionOptions } from "../../contract/session-options.ts"
import type { By } from "../../contract/values.ts"
import { decodeCommand, type Decoded, type ParentCommand, type RawLine } from "../../protocols/rpc/codec.ts"
import { busyMessage, errorFrame, leavingMessage, refusalMessage, rpcErrors } from "../../protocols/rpc/errors.ts"
import type { ResponseFrame } from "../../protocols/rpc/frames.ts"
import { rpcLimits, rpcVersion } from "../../protocols/rpc/limits.ts"
import type { ParentViewOptions, PromptRequest } from "../../protocols/rpc/parent-view.ts"
import { answerQuery, head, type QueryCommand } from "./answer-query.ts"
import { ParentOutbox, type Pipe } from "./parent-outbox.ts"
import { ParentSession, RefusedQuery, type ParentSessionOptions, type Problem } from "./parent-session.ts"

export { rpcErrors as errors, rpcLimits as limits, openRpcDoor as open }

export interface RpcDoorOptions extends Pick<ParentViewOptions, "extended" | "errorWindowMs"> {
  readonly port: HostPort
  readonly by: By
  /** For `new_session`: everything but the model, which is the one in use. */
  readonly request: SessionOptions
  readonly pipe: Pipe
  /** Whether to read commands of the parent. */
  readonly listen: (shouldListen: boolean) => void
  readonly newId: () => string
  readonly now: () => number
  /** The parent has left this session for a new one. */
  readonly onReplaced: (sessionId: SessionId) => Promise<void>
  /** The parent wants the child to exit. */
  readonly onShutdown: () => void
  /** The session cannot be followed any more. */
  readonly onLost: (refusal: Refusal) => void
  /** The parent gets only a general error. */
  readonly onFault: (fault: unknown) => void
}

type Of<Type extends ParentCommand["type"]> = Extract<ParentCommand, { type: Type }>

function openRpcDoor(handle: SessionHandle, options: RpcDoorOptions): Promise<RpcDoor> {
  return RpcDoor.open(handle, options)
}

export class RpcDoor {
  readonly #options: RpcDoorOptions
  readonly #outbox: ParentOutbox
  readonly #sessionOptions: ParentSessionOptions
  readonly #inbox: Decoded[] = []
  readonly #idle = new Set<() => void>()
  #session: ParentSession
  #isWorking = false
  #isListening = true
  #isLeaving = false

  static async open(handle: SessionHandle, options: RpcDoorOptions): Promise<RpcDoor> {
    let door: RpcDoor | undefined
    let subagents = 0
    const outbox = new ParentOutbox(options.pipe, () => door === undefined || door.#updateListening())
    const sessionOptions: ParentSessionOptions = {
      port: options.port,
      outbox,
      view: { ...options, sink: outbox, nextNumber: () => (subagents += 1) },
      onItem: (item) => door === undefined || door.#afterItem(item),
    }
    door = new RpcDoor(options, outbox, sessionOptions, await ParentSession.open(handle, sessionOptions))
    return door
  }

  private constructor(
    options: RpcDoorOptions,
    outbox: ParentOutbox,
    sessionOptions: ParentSessionOptions,
    session: ParentSession,
  ) {
    this.#options = options
    this.#outbox = outbox
    this.#sessionOptions = sessionOptions
    this.#session = session
  }

  /** Sends the first frame. Lines may be given to `receive` from now on. */
  greet(): void {
    const { sessionId, status } = this.#session.view
    this.#outbox.reply({ type: "ready", session_id: sessionId, model: status.model, protocol_version: rpcVersion })
    this.#outbox.flush()
  }

  get sessionId(): SessionId {
    return this.#session.view.sessionId
  }

  /** A turn or a compaction of the parent is running. */
  get isBusy(): boolean {
    return !this.#session.view.isIdle
  }

  receive(line: RawLine): void {
    const decoded = decodeCommand(line, this.#options.extended)
    if (decoded.kind === "blank") return
    this.#inbox.push(decoded)
    this.#work()
  }

  /** The pipe to the parent has room again. */
  drained(): void {
    this.#outbox.drained()
  }

  interrupt(): Promise<Problem> {
    return this.#session.interrupt()
  }

  /** Resolves when every command was answered and no turn of the parent is running. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#idle.add(resolve)
      this.#settle()
    })
  }

  /** Sends nothing more of the session. Resolves when the pipe has taken everything before. */
  async close(): Promise<void> {
    this.#session.close()
    this.#outbox.flush()
    await this.#outbox.emptied()
    this.#outbox.flush()
  }

  #work(): void {
    while (!this.#isWorking) {
      const next = this.#inbox.shift()
      if (next === undefined) break
      const work = this.#take(next)
      if (work === undefined) continue
      this.#isWorking = true
      void work.finally(() => {
        this.#isWorking = false
        this.#work()
      })
    }
    this.#updateListening()
    this.#settle()
  }

  /** Undefined when it is already done. */
  #take(decoded: Decoded): Promise<void> | undefined {
    if (decoded.kind === "blank") return undefined
    if (decoded.kind === "bad") return this.#refuse(decoded.id, decoded.message)
    const { command } = decoded
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
        return this.#done(this.#session.interrupt(), { ...head(command), ok: true })
      case "compact":
        return this.#begin(command.id, this.#session.compact(command.id))
      case "new_session":
        return this.#newSession(command)
      case "set_model":
        return this.#done(this.#session.selectModel(command.model), { ...head(command), model: command.model })
      case "approve": {
        const { approval_id, approved, answer } = command
        return this.#done(this.#session.approve(approval_id, approved, answer ?? undefined), {
          ...head(command),
          ok: true,
        })
      }
      case "get_state":
      case "get_session_stats":
      case "get_messages":
      case "get_available_models":
      case "tools_list":
        return this.#query(command)
      case "shutdown":
        this.#isLeaving = true
        this.#options.onShutdown()
        return undefined
    }
  }

  #prompt(command: Of<"prompt" | "follow_up">): Promise<void> | undefined {
    if (this.#isLeaving) return this.#refuse(command.id, leavingMessage)
    const attachments = command.type === "prompt" ? (command.attachments ?? []) : []
    return this.#begin(command.id, this.#session.prompt(this.#request(command), command.message, attachments))
  }

  /** While a turn runs the prompt is for that turn and answered at once; otherwise it starts a turn like any other. */
  #queue(command: Of<"queue">): Promise<void> | undefined {
    if (this.#isLeaving) return this.#refuse(command.id, leavingMessage)
    const request = this.#request(command)
    if (!this.#session.view.inTurn) return this.#begin(command.id, this.#session.prompt(request, command.message, []))
    return this.#done(this.#session.steer(request, command.message), { ...head(command), ok: true })
  }

  #request({ id, type: command }: Of<"prompt" | "follow_up" | "queue">): PromptRequest {
    return { id, command, promptId: `prm_${this.#options.newId()}`, at: this.#options.now() }
  }

  async #newSession(command: Of<"new_session">): Promise<void> {
    const { port, by, request } = this.#options
    const { view } = this.#session
    if (view.isBusy) return this.#refuse(command.id, busyMessage)
    const created = await port.create({ ...request, model: view.status.model }, by)
    if (created.kind === "refused") return this.#refuse(command.id, refusalMessage(created.refusal))
    const session = await ParentSession.open(created.handle, this.#sessionOptions)
    this.#session.close()
    this.#session = session
    this.#outbox.reply({ ...head(command), session_id: session.view.sessionId })
    await this.#options.onReplaced(view.sessionId)
  }

  #query(command: QueryCommand): Promise<void> | undefined {
    const answer = answerQuery(this.#session, command)
    if (answer instanceof Promise) return answer.then((answered) => this.#outbox.reply(answered))
    this.#outbox.reply(answer)
    return undefined
  }

  /** The view answers what begins here when it ends; only a refusal is answered now. */
  async #begin(id: string, beginning: Promise<Problem>): Promise<void> {
    const problem = await beginning
    if (problem !== undefined) this.#refuse(id, problem)
  }

  async #done(operation: Promise<Problem>, answer: ResponseFrame): Promise<void> {
    const problem = await operation
    if (problem === undefined) this.#outbox.reply(answer)
    else this.#refuse(answer.id, problem)
  }

  #refuse(id: string | undefined, message: string): undefined {
    this.#outbox.reply(errorFrame(id, message))
  }

  #failed(command: ParentCommand, fault: unknown): void {
    const isRefusal = fault instanceof RefusedQuery
    if (!isRefusal) this.#options.onFault(fault)
    const id = "id" in command ? (command.id ?? undefined) : undefined
    this.#refuse(id, isRefusal ? fault.message : "the child could not do that")
  }

  #afterItem(item: WatchItem): void {
    if (item.kind === "lost") this.#options.onLost(item.refusal)
    if (item.kind === "event") this.#settle()
  }

  /** A parent that sends commands and does not read the replies is not read until it has. */
  #updateListening(): void {
    const shouldListen = !this.#outbox.hasUnreadReplies && this.#inbox.length < rpcLimits.waitingCommands
    if (shouldListen === this.#isListening) return
    this.#isListening = shouldListen
    this.#options.listen(shouldListen)
  }

  #settle(): void {
    if (this.#idle.size === 0 || this.#isWorking || this.#inbox.length > 0 || !this.#session.view.isIdle) return
    for (const resolve of this.#idle) resolve()
    this.#idle.clear()
  }
}
