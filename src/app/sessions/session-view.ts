// State of a session for a command: read from the log once, then updated by watched events, so that it works wherever the
// session is open.
import type { Recorded } from "../../contract/events.ts"
import type { ApprovalId, CallId, SessionId } from "../../contract/ids.ts"
import type { JsonValue } from "../../contract/values.ts"
import type { EventLog } from "../../log/event-log.ts"
import { contextItems } from "../../projection/context.ts"
import { findApproval, foldRequests, noRequests, type OpenApproval } from "../../projection/open-requests.ts"
import type { SessionStatus } from "../../projection/status.ts"
import { readFolds } from "../../runner/read-folds.ts"
import { foldAll, noFolds, type SessionFolds } from "../../runner/snapshot.ts"
import { findCall, isBusy, type SessionState } from "../../session/state.ts"
import { accepted } from "../app-fault.ts"
import { openApprovals } from "../../features/approvals/state.ts"
import { openChildApprovals } from "../../features/agent-tree/state.ts"

export class SessionView {
  readonly sessionId: SessionId
  #folds: SessionFolds
  #requests = noRequests

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
    const folds = accepted(await readFolds(log, sessionId))
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

  /** A turn runs, or the context is compacted. */
  get isBusy(): boolean {
    return isBusy(this.state)
  }

  /** Pending requests, oldest first. */
  get requests(): readonly OpenApproval[] {
    return this.#requests.approvals
  }

  request(approvalId: ApprovalId): OpenApproval | undefined {
    return findApproval(this.#requests, approvalId)
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

  #keepRequest(recorded: Recorded): void {
    const inputOf = (callId: CallId) => this.call(callId)?.input
    this.#requests = foldRequests(this.#requests, recorded, this.sessionId, inputOf)
  }

  async #readRequest(log: EventLog, seq: number): Promise<void> {
    const found = accepted(await log.read(this.sessionId, seq - 1, 1))
    for (const recorded of found.value) this.#keepRequest(recorded)
  }
}
