// What must hold of a simulated session at its end: its history, what was acknowledged, the effects of its tools, the order
// of its messages and the words of its answers.
import { checkHistory, eventsOf, type History } from "../crash/check-history.ts"
import { checkEffects, checkOrigins, checkRepeats } from "../crash/effects.ts"
import type { Report } from "../violation.ts"
import type { SessionPlan } from "./session-plan.ts"
import type { ToolEffect } from "./simulated-tools.ts"

interface Checked {
  readonly histories: readonly History[]
  readonly plan: SessionPlan
  readonly effects: readonly ToolEffect[]
  readonly acknowledged: readonly { readonly promptId: string; readonly seq: number }[]
  readonly report: Report
}

export function checkSession({ histories, plan, effects, acknowledged, report }: Checked): void {
  for (const history of histories) {
    checkHistory(history, report)
    checkRepeats(history, effects, report)
    checkOrder(history, report)
    checkUnknown(history, report)
    checkTexts(history, plan, report)
  }
  checkEffects(histories, effects, report)
  checkOrigins(histories, effects, report)
  checkApproved(histories, effects, report)
  const admitted = new Set(
    histories.flatMap((history) => eventsOf(history, "prompt.admitted").map((one) => one.promptId)),
  )
  for (const { promptId } of acknowledged)
    if (![...admitted].some((id) => id === promptId))
      report("lost", "prompt.admitted", `${promptId} was acknowledged and is not in the log`)
}

/** Messages that start turns do so in the order in which they were accepted. */
function checkOrder(history: History, report: Report): void {
  const queued = eventsOf(history, "prompt.admitted").filter(({ delivery }) => delivery === "next-turn")
  const order = queued.map(({ promptId }) => promptId)
  const promoted = eventsOf(history, "prompt.promoted").map(({ promptId }) => promptId)
  const delivered = promoted.filter((id) => order.includes(id))
  const expected = order.filter((id) => delivered.includes(id))
  const at = expected.findIndex((id, index) => id !== delivered[index])
  if (at >= 0) report("broken", "prompt.promoted", `${delivered[at]} was delivered before ${expected[at]}`)
}

/** An unsafe call that was started has its own result, or is shown as unknown. */
function checkUnknown(history: History, report: Report): void {
  const unsettled = eventsOf(history, "tool.unsettled").map(({ callId }) => callId)
  const started = eventsOf(history, "tool.started")
  for (const callId of unsettled)
    if (!started.some((one) => one.callId === callId && one.class === "unsafe"))
      report("broken", "tool.unsettled", `the outcome of ${callId} is said to be unknown, and it was not started`)
}

/** No call had its effect without the approval that it needs. */
function checkApproved(histories: readonly History[], effects: readonly ToolEffect[], report: Report): void {
  const requested = histories.flatMap((history) => eventsOf(history, "approval.requested"))
  const decided = histories.flatMap((history) => eventsOf(history, "approval.decided"))
  for (const { approvalId, callId } of requested) {
    const isApproved = decided.some((one) => one.approvalId === approvalId && one.outcome === "approved")
    const hasOther = requested.some((one) => one.callId === callId && one.approvalId !== approvalId)
    if (!isApproved && !hasOther && effects.some((effect) => effect.callId === callId))
      report("broken", "approval.decided", `the call ${callId} ran and was not approved`)
  }
}

/** Each answer, with what continues it, is what the model said, or its beginning where the turn was stopped. */
function checkTexts(history: History, { steps }: SessionPlan, report: Report): void {
  const said = steps.map((step) => step.flatMap((part) => ("text" in part ? [part.text] : [])).join(""))
  const texts = new Map<string, string>()
  const rootOf = new Map<string, string>()
  for (const { event } of history) {
    if (event.type === "step.started")
      rootOf.set(
        event.stepId,
        event.continues === undefined ? event.stepId : (rootOf.get(event.continues) ?? event.continues),
      )
    if (event.type !== "text.ended") continue
    const root = rootOf.get(event.stepId) ?? event.stepId
    texts.set(root, `${texts.get(root) ?? ""}${event.text}`)
  }
  for (const text of texts.values())
    if (!said.some((whole) => whole.startsWith(text)) && !text.startsWith(EXHAUSTED))
      report("doubled", "text.ended", `the answer "${text}" is not what the model said`)
}

/** What a scripted model says after its last step. */
const EXHAUSTED = "The script is exhausted"
