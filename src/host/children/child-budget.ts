// The budget of a tree is its root's. When it is raised, every child is told so by its parent: one that is parked for
// want of money goes on by that.
import type { By } from "../../contract/values.ts"
import type { SessionContext } from "../../runner/session-context.ts"

/** Returns the way to stop it. */
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
  pass() // it may have been raised while the child was not open
  return stop
}

function isSame(one: SessionContext["state"]["budget"], other: SessionContext["state"]["budget"]): boolean {
  return one.usd === other.usd && one.tokens === other.tokens
}
