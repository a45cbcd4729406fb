// The sessions of a tree that are open in this host, and whether one of them has work.
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

/** Running a child is no work by itself: a working child has a turn of its own. */
export function isAtRest({ state }: SessionActor): boolean {
  return requiredEffects(state).every(({ type }) => type === "keep-child")
}
