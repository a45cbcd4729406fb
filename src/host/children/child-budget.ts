// The budget of a tree is its root's. When it is raised, every child is told so by its parent: one that is parked for
// want of money goes on by that.
import type { By } from "../../contract/values.ts"
import type { SessionActor } from "../../runner/session-actor.ts"

/** Returns the way to stop it. */
export function passBudgetOn(parent: SessionActor, child: SessionActor, by: By): () => void {
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

function isSame(one: SessionActor["state"]["budget"], other: SessionActor["state"]["budget"]): boolean {
  return one.usd === other.usd && one.tokens === other.tokens
}
