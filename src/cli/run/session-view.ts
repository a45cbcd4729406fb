// State of a session for a command: read from the log once, then updated by watched events, so that it works wherever the
// session is open.
import type { EventOf, Recorded } from "../../contract/events.ts"
import type { ApprovalId, CallId, SessionId } from "../../contract/ids.ts"
import type { AskCause, JsonValue } from "../../contract/values.ts"
import type { EventLog } from "../../log/event-log.ts"
import { contextItems } from "../../projection/context.ts"
import type { SessionStatus } from "../../projection/status.ts"
import { readFolds } from "../../runner/read-folds.ts"
import { foldAll, noFolds, type SessionFolds } from "../../runner/snapshot.ts"
import { findCall, type SessionState } from "../../session/state.ts"
import { refusalFault } from "../../app/app-fault.ts"
import { openApprovals } from "../../features/approvals/state.ts"
import { openChildApprovals } from "../../features/agent-tree/state.ts"

/** An approval request with its exact arguments. */
export interface Request {
  readonly approvalId: ApprovalId
  /** This session or a descendant. */
  readonly sessionId: SessionId
  readonly tool: string
  readonly input: JsonValue
  readonly digest: string
  readonly reason: string
  /** Absent for requests of older releases. */
  readonly causes?: readonly AskCause[] | undefined
}

export class SessionView {
  readonly sessionId: SessionId
  #folds: SessionFolds
  readonly #requests = new Map<ApprovalId, Request>()

  private constructor(sessionId: SessionId, folds: SessionFolds) {
    this.sessionId = sessionId
    this.#folds = folds
  }

  /** Before its first event. */
  static empty(sessionId: SessionId): SessionView {
    return new SessionView(sessionId, noFolds())
  }

  /** Reads the log; does not open the session. */
  static async read(log: EventLog, sessionId: SessionId): Promise<SessionView> {
    const folds = await readFolds(log, sessionId)
    if (folds.kind === "refused") throw refusalFault(folds.refusal)
    const view = new SessionView(sessionId, folds.value)
    const { state } = folds.value
    for (const { seq } of [...openApprovals(state), ...openChildApprovals(state)]) await view.#readRequest(log, seq)
    return view
  }

  get state(): SessionState {
    return this.#folds.state
  }

  get status(): SessionStatus {
    return this.#folds.status
  }

  /** Pending requests, oldest first. */
  get requests(): readonly Request[] {
    return [...this.#requests.values()]
  }

  request(approvalId: ApprovalId): Request | undefined {
    return this.#requests.get(approvalId)
  }

  /** Known events are ignored. */
  take(recorded: Recorded): void {
    if (recorded.seq <= this.state.seq) return
    this.#folds = foldAll(this.#folds, [recorded])
    this.#keepRequest(recorded)
  }

  /** A call that is still in the context. */
  call(callId: CallId): { readonly tool: string; readonly input: JsonValue } | undefined {
    const open = findCall(this.state, callId)
    if (open !== undefined) return open
    const parts = contextItems(this.#folds.context).flatMap((item) => (item.kind === "assistant" ? item.parts : []))
    return parts.flatMap((part) => (part.kind === "call" && part.callId === callId ? [part] : []))[0]
  }

  #keepRequest({ event }: Recorded): void {
    switch (event.type) {
      case "approval.requested":
        return this.#keep({ ...event, sessionId: this.sessionId, input: this.call(event.callId)?.input ?? null })
      case "child.asked":
        return this.#keep(event)
      case "approval.decided":
      case "child.answered":
        this.#requests.delete(event.approvalId)
        return
      default:
        return // not a request
    }
  }

  #keep({ approvalId, sessionId, tool, input, digest, reason, causes }: Request | EventOf<"child.asked">): void {
    this.#requests.set(approvalId, { approvalId, sessionId, tool, input, digest, reason, causes })
  }

  async #readRequest(log: EventLog, seq: number): Promise<void> {
    const found = await log.read(this.sessionId, seq - 1, 1)
    if (found.kind === "refused") throw refusalFault(found.refusal)
    for (const recorded of found.value) this.#keepRequest(recorded)
  }
}
