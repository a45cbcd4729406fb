// Passes a raised budget of the root on to every child, so that a child parked for its budget resumes.
import type { By } from "../../contract/values.ts"
import type { SessionContext } from "../../runner/session-context.ts"

/** Returns the unsubscribe function. */
export function passBudgetOn(parent: SessionContext, child: SessionContext, by: By): () => void {
  const pass = () => {
    const { budget } = parent.state
    if (isSame(budget, child.state.budget)) return
    child.send({ type: "raise-budget", budget }, by).catch((fault: unknown) => {
      parent.services.warn(`a child was not told of its budget: ${String(fault)}`, parent.id)
    })
  }
  const stop = parent.watch((item) => {
    if (item.kind === "event" && item.recorded.event.type === "budget.raised") pass()
  })
  pass() // raised while the child was closed
  return stop
}

function isSame(one: SessionContext["state"]["budget"], other: SessionContext["state"]["budget"]): boolean {
  return one.usd === other.usd && one.tokens === other.tokens
}
