// The answers of clients to requests for approval: of those that race for one request, one is accepted, and everyone is
// told the same outcome.
import type { SessionCommand } from "../../../contract/commands.ts"
import { eventsOf, type History } from "../crash/check-history.ts"
import type { Report } from "../violation.ts"
import type { Answer } from "./simulated-client.ts"

export type Approve = Extract<SessionCommand, { type: "approve" }>

interface Given {
  readonly command: Approve
  readonly principal: string
  readonly answer: Answer
}

export class ApprovalAnswers {
  /** Answers that a host has accepted or refused. */
  count = 0
  readonly #given: Given[] = []

  add(command: Approve, principal: string, answer: Answer): void {
    this.count += 1
    this.#given.push({ command, principal, answer })
  }

  check(histories: readonly History[], report: Report): void {
    const outcomes = new Map(
      histories.flatMap((history) => eventsOf(history, "approval.decided").map((event) => [event.approvalId, event])),
    )
    const accepted = new Set<string>()
    const told = new Set(
      histories.flatMap((history) =>
        eventsOf(history, "child.answered").map((event) => `${event.approvalId} ${event.outcome}`),
      ),
    )
    for (const { command, principal, answer } of this.#given) {
      const { approvalId, approved } = command
      const decided = outcomes.get(approvalId)
      const where = `request ${approvalId}`
      if (answer.kind === "accepted") {
        if (accepted.has(approvalId)) report("doubled", "approval.decided", `${where}: two answers were accepted`)
        accepted.add(approvalId)
        if (
          decided === undefined ||
          decided.outcome !== (approved ? "approved" : "denied") ||
          decided.by?.principal !== principal
        )
          report(
            "lost",
            "approval.decided",
            `${where}: the accepted answer of ${principal} is not the outcome in the log`,
          )
        if (command.digest === otherDigest)
          report("broken", "approval.decided", `${where}: an answer for other arguments was accepted`)
      } else if (answer.refusal.code === "approval.settled") {
        const { outcome } = answer.refusal
        if (outcome !== decided?.outcome && !told.has(`${approvalId} ${outcome}`))
          report("broken", "approval.decided", `${where}: ${principal} was told an outcome that is not in the log`)
      }
    }
  }
}

/** Of arguments that the call does not have. */
export const otherDigest = "0".repeat(64)
