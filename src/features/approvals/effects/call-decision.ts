// A request that a running call makes, and the decision about it. The call waits here and is not held back.
import { answererName, policyPrincipal } from "../../../contract/rules/approval-answers.ts"
import { settingsOf } from "../../../contract/rules/session-settings.ts"
import type { EventOf } from "../../../contract/events.ts"
import type { ApprovalId, CallId } from "../../../contract/ids.ts"
import type { SessionContext } from "../../../runner/session-context.ts"
import type { ApprovalNeeded } from "../state.ts"

export type CallAsk = Pick<
  ApprovalNeeded,
  "callId" | "reason" | "causes" | "questions" | "connection" | "server" | "digest"
>

export type CallDecision = Pick<EventOf<"approval.decided">, "outcome" | "by" | "note" | "answers">

/** The signal is aborted when the answer is no longer wanted: the request is withdrawn. Undefined if the call has ended. */
export async function decisionDuringCall(
  session: SessionContext,
  ask: CallAsk,
  signal: AbortSignal,
): Promise<CallDecision | undefined> {
  const decisions = new Decisions(session)
  try {
    const audience = settingsOf(session.state.created).hasVisitors ? "approver" : "driver"
    const { approvalWaitMs: waitMs } = session.services
    const sent = await session.report({ type: "approval-needed", audience, waitMs, ...ask })
    const id = sent.kind === "accepted" ? newestRequest(session, ask.callId, ask.digest) : undefined
    return id === undefined ? undefined : await decisions.wait(id, signal)
  } finally {
    decisions.stop()
  }
}

function newestRequest({ state }: SessionContext, callId: CallId, digest: string): ApprovalId | undefined {
  return state.approvals.findLast((approval) => approval.callId === callId && approval.digest === digest)?.id
}

/** Watches from before the request: its answer may come in the same moment. */
class Decisions {
  readonly #session: SessionContext
  readonly #decided = new Map<ApprovalId, CallDecision>()
  #onDecision: () => void = () => {}
  readonly stop: () => void

  constructor(session: SessionContext) {
    this.#session = session
    this.stop = session.watch((item) => {
      if (item.kind !== "event" || item.recorded.event.type !== "approval.decided") return
      this.#decided.set(item.recorded.event.approvalId, item.recorded.event)
      this.#onDecision()
    })
  }

  async wait(approvalId: ApprovalId, signal: AbortSignal): Promise<CallDecision> {
    const decision = Promise.withResolvers<CallDecision>()
    this.#onDecision = () => {
      const decided = this.#decided.get(approvalId)
      if (decided !== undefined) decision.resolve(decided)
    }
    const onAbort = () => {
      decision.resolve({ outcome: "void" })
      void this.#session.report({ type: "approval-withdrawn", approvalId })
    }
    this.#onDecision()
    signal.addEventListener("abort", onAbort, { once: true })
    if (signal.aborted) onAbort()
    try {
      return await decision.promise
    } finally {
      signal.removeEventListener("abort", onAbort)
    }
  }
}

const NOT_ASKED = "no person can be asked"
/** A client without a terminal. */
const unattended = policyPrincipal(["unattended"])

/** Whether a person said no. */
export function isDeclined({ outcome, by }: CallDecision): boolean {
  return outcome === "denied" && by?.principal !== unattended
}

/** Why there is no yes, as a clause. `withdrawn`: the clause for a request that was withdrawn. */
export function noReason(session: SessionContext, decision: CallDecision, withdrawn: string): string {
  const { outcome, by, note } = decision
  if (isDeclined(decision)) return `${answererName(by)} denied it${note ? ` (${note})` : ""}`
  if (outcome === "void") return withdrawn
  const isUnattended = outcome === "denied" || session.services.approvalWaitMs === 0
  return isUnattended ? NOT_ASKED : "the request was not answered in time"
}
