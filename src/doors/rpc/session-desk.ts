// The parent's session: what it can be asked and told to do. Answers that depend on what was just done wait until the
// parent has been told of it, so that an answer never runs ahead of the events it follows from.
import type { HostPort, SessionHandle, WatchItem } from "../../contract/host-port.ts"
import type { SessionCommand } from "../../contract/commands.ts"
import type { HostQuery } from "../../contract/queries.ts"
import type { Refusal } from "../../contract/refusals.ts"
import type { JsonValue } from "../../contract/values.ts"
import { contextItemsOf, sessionLine, stagedFiles } from "../../protocols/rpc/answers.ts"
import { busyMessage, refusalMessage } from "../../protocols/rpc/errors.ts"
import type { RpcAttachment } from "../../protocols/rpc/frames.ts"
import { Link, type Asked, type LinkOptions } from "../../protocols/rpc/link.ts"
import { messageCount } from "../../protocols/rpc/messages.ts"
import { pathProblem, promptText } from "../../protocols/rpc/prompt-words.ts"
import { Following } from "./following.ts"
import type { Outbox } from "./outbox.ts"

export interface DeskOptions {
  readonly port: HostPort
  readonly outbox: Outbox
  readonly link: LinkOptions
  /** After each item of the session that the parent was told. */
  readonly afterwards: (item: WatchItem) => void
}

/** A sentence when it was not done. */
export type Problem = string | undefined

export class SessionDesk {
  readonly link: Link
  readonly #options: DeskOptions
  readonly #handle: SessionHandle
  readonly #following: Following
  #counted: { readonly seq: number; readonly messages: number } | undefined

  static async open(handle: SessionHandle, options: DeskOptions): Promise<SessionDesk> {
    const { sessionId } = handle
    const answered = await options.port.query({ type: "session", sessionId })
    if (answered.kind === "refused") throw new RefusedQuestion(answered.refusal)
    const { seq, status } = sessionLine(answered.value)
    const desk = new SessionDesk(handle, new Link(sessionId, seq, status, options.link), options)
    await desk.#following.follow()
    return desk
  }

  private constructor(handle: SessionHandle, link: Link, options: DeskOptions) {
    this.link = link
    this.#handle = handle
    this.#options = options
    this.#following = new Following(handle, link, options.outbox, (item) => this.#told(item))
  }

  goOn(): Promise<void> {
    return this.#following.goOn()
  }

  close(): void {
    this.#following.stop()
  }

  /** The session is busy from the moment of the call. The turn itself is told by the link. */
  async prompt(asked: Asked, message: string, attachments: readonly RpcAttachment[]): Promise<Problem> {
    if (this.link.isBusy) return busyMessage
    if (message.trim() === "" && attachments.length === 0) return "the message is empty"
    this.link.accept(asked)
    const problem = await this.#sendPrompt(asked, message, attachments)
    if (problem !== undefined) this.link.drop(asked)
    return problem
  }

  /** Words for the running turn. */
  async steer({ promptId }: Asked, message: string): Promise<Problem> {
    this.link.queued(promptId)
    return this.#do({ type: "prompt", promptId, text: message.toWellFormed(), ifBusy: "steer" })
  }

  interrupt(): Promise<Problem> {
    return this.#do({ type: "interrupt" })
  }

  async compact(id: string): Promise<Problem> {
    if (this.link.isBusy) return busyMessage
    this.link.compacting(id)
    const sent = await this.#handle.send({ type: "compact" })
    if (sent.kind === "accepted") return undefined
    this.link.notCompacting()
    return refusalMessage(sent.refusal)
  }

  async selectModel(model: string): Promise<Problem> {
    return model.trim() === "" ? "the name of the model is empty" : this.#do({ type: "select-model", model })
  }

  approve(approvalId: string, approved: boolean): Promise<Problem> {
    return this.#do({ type: "approve", approvalId: `apr_${approvalId.replace(/^apr_/, "")}`, approved })
  }

  /** As many as are listed now; at once when nothing has happened since it was last asked. */
  messageCount(): number | Promise<number> {
    return this.#counted?.seq === this.link.seq ? this.#counted.messages : this.#count()
  }

  async ask(query: HostQuery): Promise<JsonValue> {
    const answered = await this.#options.port.query(query)
    if (answered.kind === "refused") throw new RefusedQuestion(answered.refusal)
    return answered.value
  }

  async #count(): Promise<number> {
    const { seq, sessionId } = this.link
    const messages = messageCount(contextItemsOf(await this.ask({ type: "context", sessionId })))
    this.#counted = { seq, messages }
    return messages
  }

  async #sendPrompt({ promptId }: Asked, message: string, named: readonly RpcAttachment[]): Promise<Problem> {
    const wrongPath = pathProblem(named)
    if (wrongPath !== undefined) return wrongPath
    const { attachments, notes, problems } = await this.#staged(named)
    if (problems.length > 0) return problems.join("; ")
    const text = promptText(message, notes)
    const sent = await this.#handle.send({ type: "prompt", promptId, text, attachments, ifBusy: "refuse" })
    return sent.kind === "refused" ? refusalMessage(sent.refusal) : undefined
  }

  async #staged(named: readonly RpcAttachment[]) {
    if (named.length === 0) return { attachments: undefined, notes: [], problems: [] }
    const { sessionId } = this.link
    return stagedFiles(await this.ask({ type: "stage-files", sessionId, paths: named.map(({ path }) => path) }))
  }

  async #do(command: SessionCommand): Promise<Problem> {
    const sent = await this.#handle.send(command)
    if (sent.kind === "refused") return refusalMessage(sent.refusal)
    await this.link.seen(sent.seq)
    return undefined
  }

  #told(item: WatchItem): void {
    if (item.kind === "event" && item.recorded.event.type === "turn.parked" && this.link.isStuck)
      void this.#handle.send({ type: "interrupt" }) // the wire has no way to wait for what only a person can give
    this.#options.afterwards(item)
  }
}

/** A question that should have had an answer. */
export class RefusedQuestion extends Error {
  override readonly name = "RefusedQuestion"

  constructor(refusal: Refusal) {
    super(refusalMessage(refusal))
  }
}
