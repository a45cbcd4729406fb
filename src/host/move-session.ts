// Moves a session and its agents to another node: each reaches a point at which it can be interrupted and is handed over in one
// step, so that no third node adopts it in between. The new owner finds it by itself; asking it only makes that faster.
import type { HostCommands } from "../contract/host-commands.ts"
import type { HostPort } from "../contract/host-port.ts"
import type { SessionId } from "../contract/ids.ts"
import type { Refusal } from "../contract/refusals.ts"
import type { MovedSession } from "../contract/views/nodes.ts"
import { ok, refused, type LiveHost, type Outcome } from "../log/event-log.ts"
import type { SessionActor } from "../runner/session-actor.ts"
import { openTree } from "./children/open-tree.ts"
import { pauseTree, rootOf } from "./hibernation.ts"
import { takesSessions } from "./queries/nodes.ts"
import type { SessionHost } from "./session-host.ts"

export type Connect = (hostId: string) => Promise<HostPort | undefined>

/** Carried out by the owner; for a session without one, by any host. */
export async function moveSession(
  host: SessionHost,
  { sessionId, node }: HostCommands["move-session"],
  connect: Connect | undefined,
): Promise<Outcome<MovedSession>> {
  const target = await hostOn(host, node)
  if (target.kind === "refused") return target
  const row = await host.log.find(sessionId)
  if (row.kind === "refused") return row
  const { owner } = row.value
  if (owner?.node?.name === node) return ok({ node, moved: false })
  if (owner !== undefined && (owner.hostId !== host.lease.hostId || !host.isPersistent))
    return refused({ code: "session.owned", sessionId, owner: owner.role, pid: owner.pid })
  const opened = await host.opened(sessionId)
  const moved =
    opened.kind === "opened"
      ? await moveTree(host, await rootOf(host, opened.session), target.value)
      : await moveClosed(host, sessionId, target.value)
  if (moved.kind === "refused") return moved
  host.noteMoved()
  openThere(moved.value, target.value, connect)
  return ok({ node, moved: true })
}

/** Of several hosts there, the one that was started last. */
async function hostOn(host: SessionHost, wanted: string): Promise<Outcome<LiveHost>> {
  const hosts = host.log.cluster === undefined ? ok([]) : await host.log.hosts()
  if (hosts.kind === "refused") return hosts
  const able = hosts.value.filter(({ role, node }) => node !== undefined && takesSessions(role))
  const target = able.findLast(({ node }) => node?.name === wanted)
  if (target !== undefined) return ok(target)
  const nodes = [...new Set(able.flatMap(({ node }) => node?.name ?? []))]
  return refused({ code: "node.unknown", wanted, nodes })
}

async function moveClosed(host: SessionHost, sessionId: SessionId, target: LiveHost): Promise<Outcome<SessionId>> {
  let outcome: Outcome<void> | undefined
  await host.whileClosed(sessionId, async () => {
    outcome = await host.log.cluster?.handOver(host.lease, [sessionId], target.hostId)
  })
  if (outcome === undefined) return refused({ code: "session.busy" }) // it is being opened or closed here
  return outcome.kind === "refused" ? outcome : ok(sessionId)
}

async function moveTree(host: SessionHost, root: SessionActor, target: LiveHost): Promise<Outcome<SessionId>> {
  const misplaced = await misplacedIn(host, root, target)
  if (misplaced !== undefined) return refused(misplaced)
  const { tree, paused } = await pauseTree(host, root)
  for (const session of tree) paused.delete(session)
  for (const session of paused) session.begin() // agents that were detached meanwhile stay
  const handed = await host.handOver(
    tree.map(({ id }) => id),
    target.hostId,
  )
  return handed.kind === "refused" ? handed : ok(root.id)
}

/** Why the node cannot run all of the tree. */
async function misplacedIn(host: SessionHost, root: SessionActor, { node }: LiveHost): Promise<Refusal | undefined> {
  for (const { id: sessionId, state } of await openTree(host, root)) {
    const place = state.created?.place
    if (node === undefined || place === undefined || node.labels.includes(place)) continue
    return { code: "session.elsewhere", sessionId, place, node: node.name }
  }
  return undefined
}

function openThere(sessionId: SessionId, { hostId }: LiveHost, connect: Connect | undefined): void {
  const opening = connect?.(hostId).then((port) => port?.open(sessionId, { principal: "move", door: "host" }))
  opening?.catch(() => {}) // its next round of adoption opens it
}
