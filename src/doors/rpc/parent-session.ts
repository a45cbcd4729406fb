// The parent's session: queries and commands. A reply that depends on a command waits until the parent was sent the
// events of that command, so that a reply is never ahead of the events it follows from.
import type { SessionCommand } from "../../contract/commands.ts"
import type { HostPort, SessionHandle, WatchItem } from "../../contract/host-port.ts"
import type { Answers, Queries, QueryType } from "../../contract/queries.ts"
import type { Refusal } from "../../contract/refusals.ts"
import { busyMessage, refusalMessage } from "../../protocols/rpc/errors.ts"
import type { RpcAttachment } from "../../protocols/rpc/frames.ts"
import { messageCount } from "../../protocols/rpc/responses.ts"
import { ParentView, type ParentViewOptions, type PromptRequest } from "../../protocols/rpc/parent-view.ts"
import { SeqWaiters } from "../core/seq-waiters.ts"
import { SessionWatch } from "../core/session-watch.ts"
import type { ParentOutbox } from "./parent-outbox.ts"

export interface ParentSessionOptions {
  readonly port: HostPort
  readonly outbox: ParentOutbox
  readonly view: ParentViewOptions
  /** After each item of the session that the parent was sent. */
  readonly onItem: (item: WatchItem) => void
}

/** Why something was not done. */
export type Problem = string | undefined

export class ParentSession {
  readonly view: ParentView
  readonly #options: ParentSessionOptions
  readonly #handle: SessionHandle
  readonly #watch: SessionWatch
  readonly #waiters = new SeqWaiters()
  #counted: { readonly seq: number; readonly messages: number } | undefined

  static async open(handle: SessionHandle, options: ParentSessionOptions): Promise<ParentSession> {
    const { sessionId } = handle
    const answered = await options.port.query({ type: "session", sessionId })
    if (answered.kind === "refused") throw new RefusedQuery(answered.refusal)
    const { seq, status } = answered.value
    const session = new ParentSession(handle, new ParentView(sessionId, seq, status, options.view), options)
    await session.#watch.follow(handle, seq)
    return session
  }

  private constructor(handle: SessionHandle, view: ParentView, options: ParentSessionOptions) {
    this.view = view
    this.#handle = handle
    this.#options = options
    this.#watch = new SessionWatch({
      flow: options.outbox,
      onItem: (item) => this.#item(item),
      onGap: () => view.gap(),
    })
  }

  close(): void {
    this.#watch.stop()
  }

  /** The session is busy from the moment of the call. The view sends the turn itself. */
  async prompt(request: PromptRequest, message: string, attachments: readonly RpcAttachment[]): Promise<Problem> {
    if (this.view.isBusy) return busyMessage
    if (message.trim() === "" && attachments.length === 0) return "the message is empty"
    this.view.beginTurn(request)
    const problem = await this.#sendPrompt(request, message, attachments)
    if (problem !== undefined) this.view.abandonTurn(request)
    return problem
  }

  /** A prompt for the running turn. */
  async steer({ promptId }: PromptRequest, message: string): Promise<Problem> {
    this.view.queue(promptId)
    return this.#do({ type: "prompt", promptId, text: message.toWellFormed(), ifBusy: "steer" })
  }

  interrupt(): Promise<Problem> {
    return this.#do({ type: "interrupt" })
  }

  async compact(id: string): Promise<Problem> {
    if (this.view.isBusy) return busyMessage
    this.view.beginCompaction(id)
    const sent = await this.#handle.send({ type: "compact" })
    if (sent.kind === "accepted") return undefined
    this.view.abandonCompaction()
    return refusalMessage(sent.refusal)
  }

  async selectModel(model: string): Promise<Problem> {
    return model.trim() === "" ? "the model name is empty" : this.#do({ type: "select-model", model })
  }

  approve(approvalId: string, approved: boolean, answer: string | undefined): Promise<Problem> {
    return this.#do({ type: "approve", approvalId: `apr_${approvalId.replace(/^apr_/, "")}`, approved, answer })
  }

  /** Messages that `get_messages` would list; at once when nothing has happened since the last call. */
  messageCount(): number | Promise<number> {
    return this.#counted?.seq === this.view.seq ? this.#counted.messages : this.#count()
  }

  async query<Type extends QueryType>(query: Queries[Type] & { readonly type: Type }): Promise<Answers[Type]> {
    const answered = await this.#options.port.query(query)
    if (answered.kind === "refused") throw new RefusedQuery(answered.refusal)
    return answered.value
  }

  async #count(): Promise<number> {
    const { seq, sessionId } = this.view
    const messages = messageCount((await this.query({ type: "context", sessionId })).items)
    this.#counted = { seq, messages }
    return messages
  }

  async #sendPrompt({ promptId }: PromptRequest, message: string, named: readonly RpcAttachment[]): Promise<Problem> {
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
    const { sessionId } = this.view
    return this.query({ type: "stage-files", sessionId, paths: named.map(({ path }) => path) })
  }

  async #do(command: SessionCommand): Promise<Problem> {
    const sent = await this.#handle.send(command)
    if (sent.kind === "refused") return refusalMessage(sent.refusal)
    if (this.view.seq < sent.seq) await this.#waiters.waitFor(sent.seq)
    return undefined
  }

  #item(item: WatchItem): void {
    this.view.item(item)
    if (item.kind === "event") this.#waiters.resolveUpTo(item.recorded.seq)
    if (item.kind === "event" && item.recorded.event.type === "turn.parked" && this.view.isStuck)
      void this.#handle.send({ type: "interrupt" }) // the wire has no way to wait for what only a person can give
    this.#options.onItem(item)
  }
}

/** A query that should have had an answer. */
export class RefusedQuery extends Error {
  override readonly name = "RefusedQuery"

  constructor(refusal: Refusal) {
    super(refusalMessage(refusal))
  }
}

/** The first problem with the named paths, before any file is read. */
function pathProblem(attachments: readonly RpcAttachment[]): string | undefined {
  const wrong = attachments.find(({ path }) => !path.startsWith("/") || path.split("/").includes(".."))
  if (wrong === undefined) return undefined
  return "an attachment needs an absolute path without '..' in it"
}

/** Notes about files that were not attached are added below the message. */
function promptText(message: string, notes: readonly string[]): string {
  const text = message.toWellFormed()
  if (notes.length === 0) return text
  return [...(text.trim() === "" ? [] : [text, ""]), ...notes].join("\n")
}
