// What clients were told about their answers in one session, compared with its log: one outcome for each approval, the same
// for all clients, and nothing ran that was not approved.
import type { ApprovalId } from "../../../contract/ids.ts"
import type { Refusal } from "../../../contract/refusals.ts"
import { eventsOf, type History } from "../crash/check-history.ts"
import type { Report } from "../violation.ts"

interface ReportedOutcome {
  readonly approvalId: ApprovalId
  readonly outcome: string
}

export class Answers {
  readonly #accepted: ReportedOutcome[] = []
  readonly #settled: ReportedOutcome[] = []
  readonly #report: Report

  constructor(report: Report) {
    this.#report = report
  }

  accept(approvalId: ApprovalId, isApproved: boolean): void {
    this.#accepted.push({ approvalId, outcome: isApproved ? "approved" : "denied" })
  }

  acceptChanged(approvalId: ApprovalId): void {
    this.#report("broken", "approval.decided", `an answer for other arguments was accepted for ${approvalId}`)
  }

  refuse(refusal: Refusal): void {
    if (refusal.code === "approval.settled")
      this.#settled.push({ approvalId: refusal.approvalId, outcome: refusal.outcome })
  }

  /** After each kill, with what is stored. */
  check(history: History): void {
    const decided = eventsOf(history, "approval.decided")
    const outcomes = new Map(decided.map(({ approvalId, outcome }) => [approvalId, outcome]))
    if (outcomes.size < decided.length) this.#report("doubled", "approval.decided", "an approval has two outcomes")
    const first = new Set<ApprovalId>()
    for (const { approvalId, outcome } of this.#accepted) {
      if (first.has(approvalId)) this.#report("doubled", "approval.decided", `two answers decided ${approvalId}`)
      first.add(approvalId)
      this.#compare("lost", approvalId, outcome, outcomes)
    }
    for (const { approvalId, outcome } of this.#settled) this.#compare("broken", approvalId, outcome, outcomes)
    this.#checkStarts(history, outcomes)
  }

  #compare(kind: "lost" | "broken", id: ApprovalId, reported: string, outcomes: ReadonlyMap<ApprovalId, string>): void {
    const stored = outcomes.get(id) ?? "open"
    if (stored !== reported)
      this.#report(kind, "approval.decided", `a client was told that ${id} is ${reported}, and it is ${stored}`)
  }

  #checkStarts(history: History, outcomes: ReadonlyMap<ApprovalId, string>): void {
    const started = new Set(eventsOf(history, "tool.started").map(({ callId }) => callId))
    for (const { approvalId, callId } of eventsOf(history, "approval.requested"))
      if (started.has(callId) && outcomes.get(approvalId) !== "approved")
        this.#report("broken", "tool.started", `the call ${callId} ran, and ${approvalId} is not approved`)
  }
}
