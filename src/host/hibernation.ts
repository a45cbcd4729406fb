// Hibernates a whole tree, children first: each session reaches a point at which it can be interrupted, is hibernated and
// closed. Only the root is woken; its host wakes the children.
import type { SendOutcome } from "../contract/host-port.ts"
import { limits } from "../contract/limits.ts"
import type { Who } from "../contract/values.ts"
import type { SessionActor } from "../runner/session-actor.ts"
import { roleRefusal } from "../session/decision.ts"
import type { SessionHost } from "./session-host.ts"
import { openTree } from "./children/open-tree.ts"

export async function hibernateTree(host: SessionHost, member: SessionActor, caller: Who): Promise<SendOutcome> {
  const refusal = roleRefusal("drive", caller) // before anything is interrupted
  if (refusal !== undefined) return { kind: "refused", refusal }
  const root = await rootOf(host, member)
  const { tree, paused } = await pauseTree(host, root)
  let outcome: SendOutcome = { kind: "accepted", seq: root.state.seq }
  for (const session of tree.toReversed()) {
    outcome = await session.send({ type: "hibernate" }, caller)
    if (outcome.kind === "refused") break
    await host.closeSession(session.id)
    paused.delete(session)
  }
  for (const session of paused) session.begin() // also agents that were detached meanwhile: they work on by themselves
  return outcome
}

/** An active parent would wake its child again. */
export async function rootOf(host: SessionHost, session: SessionActor): Promise<SessionActor> {
  const parent = await host.opened(session.state.created?.parent?.sessionId ?? "")
  const isKept = parent.kind === "opened" && parent.session.state.children.some(({ id }) => id === session.id)
  return isKept ? rootOf(host, parent.session) : session
}

/** Children that were being created appear while their parents come to rest. */
export async function pauseTree(host: SessionHost, root: SessionActor) {
  const paused = new Set<SessionActor>()
  for (;;) {
    const tree = await openTree(host, root)
    const unpaused = tree.filter((session) => !paused.has(session))
    if (unpaused.length === 0) return { tree, paused }
    await Promise.all(unpaused.map((session) => session.pause(limits.leaveMs)))
    for (const session of unpaused) paused.add(session)
  }
}
