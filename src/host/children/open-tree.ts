// The sessions of a tree that are open in a house, and whether anything is owed in one of them.
import type { SessionActor } from "../../runner/session-actor.ts"
import type { OpenSessions } from "../open-sessions.ts"
import { requiredEffects } from "../../session/required-effects.ts"

/** Parents before their children. */
export async function openTree(host: OpenSessions, root: SessionActor): Promise<readonly SessionActor[]> {
  const tree = [root]
  for (const parent of tree) {
    for (const { id } of parent.state.children) {
      const child = await host.opened(id)
      if (child.kind === "opened" && !tree.includes(child.session)) tree.push(child.session)
    }
  }
  return tree
}

/** A child is no work by itself: one that works is found by its own turn, and brings its parent along. */
export function isAtRest({ state }: SessionActor): boolean {
  return requiredEffects(state).every(({ type }) => type === "keep-child")
}
