// The nodes of a cluster with their hosts and sessions; for a log that belongs to one machine, that machine.
import { hostname } from "node:os"
import { limits } from "../../contract/limits.ts"
import type { SessionId } from "../../contract/ids.ts"
import type { NodeHost, NodeReport, NodesReport, NodeState, WaitingSessions } from "../../contract/views/nodes.ts"
import { ok, type EventLog, type Outcome, type RegisteredHost, type SessionRow } from "../../log/event-log.ts"
import { readStatus } from "../../projection/status.ts"

/** The node that answers; without a name it is not one of a cluster. */
export interface ThisNode {
  readonly name?: string
  readonly release: string
}

/** Sessions that are named for a missing label. */
const MAX_NAMED = 100
const bestFirst: readonly NodeState[] = ["live", "expiring", "unreachable"]

export async function nodesReport(log: EventLog, own: ThisNode): Promise<Outcome<NodesReport>> {
  const rows = await log.list()
  if (rows.kind === "refused") return rows
  const inTurn = new Set(rows.value.filter(isInTurn).map(({ sessionId }) => sessionId))
  if (log.cluster === undefined) return machine(log, own, rows.value, inTurn)
  const hosts = await log.cluster.hosts()
  if (hosts.kind === "refused") return hosts
  const byNode = Map.groupBy(hosts.value, ({ node }) => node?.name ?? "")
  byNode.delete("") // commands that only change the log
  const nodes = [...byNode].map(([name, each]) => nodeReport(name, own, each, inTurn))
  return ok({ isCluster: true, nodes, waiting: waitingSessions(rows.value, nodes, inTurn) })
}

/** A host that keeps sessions open for others, and adopts those without one. */
export function takesSessions(role: string): boolean {
  return role === "serve" || role === "host"
}

async function machine(
  log: EventLog,
  { release }: ThisNode,
  rows: readonly SessionRow[],
  inTurn: ReadonlySet<SessionId>,
): Promise<Outcome<NodesReport>> {
  const hosts = await log.hosts()
  if (hosts.kind === "refused") return hosts
  const owned = rows.filter(({ owner }) => owner !== undefined)
  const node: NodeReport = {
    name: hostname(),
    isThis: true,
    state: "live",
    release,
    labels: [],
    hosts: hosts.value.map(({ hostId, role, pid }) => ({ hostId, role, pid, state: "live" })),
    takesSessions: false,
    sessions: owned.length,
    turns: owned.filter(({ sessionId }) => inTurn.has(sessionId)).length,
  }
  return ok({ isCluster: false, nodes: [node], waiting: [] })
}

function nodeReport(
  name: string,
  own: ThisNode,
  registered: readonly RegisteredHost[],
  inTurn: ReadonlySet<SessionId>,
): NodeReport {
  const living = registered.filter(({ isAlive }) => isAlive)
  // A dead host that left nothing behind says nothing about a node that has another one.
  const shown = registered.filter(({ isAlive, sessionIds }) => isAlive || living.length === 0 || sessionIds.length > 0)
  const hosts = shown.map((host): NodeHost => {
    const { hostId, role, pid } = host
    return { hostId, role, pid, state: stateOf(host) }
  })
  const sessionIds = registered.flatMap((host) => host.sessionIds)
  const newest = (living.length === 0 ? registered : living).at(-1)?.node
  return {
    name,
    isThis: name === own.name,
    state: bestFirst.find((state) => hosts.some((host) => host.state === state)) ?? "unreachable",
    release: newest?.release ?? "",
    labels: newest?.labels ?? [],
    hosts,
    takesSessions: living.some(({ role }) => takesSessions(role)),
    sessions: sessionIds.length,
    turns: sessionIds.filter((sessionId) => inTurn.has(sessionId)).length,
  }
}

function stateOf({ isAlive, leaseLeftMs }: RegisteredHost): NodeState {
  if (!isAlive) return "unreachable"
  return leaseLeftMs < limits.leaseMs - limits.fenceMs ? "expiring" : "live"
}

function waitingSessions(
  rows: readonly SessionRow[],
  nodes: readonly NodeReport[],
  inTurn: ReadonlySet<SessionId>,
): readonly WaitingSessions[] {
  const offered = new Set(nodes.filter(({ state }) => state !== "unreachable").flatMap(({ labels }) => labels))
  const waiting = rows.filter((row) => row.place !== undefined && !offered.has(row.place) && !isEnded(row))
  return [...Map.groupBy(waiting, ({ place = "" }) => place)].map(([label, each]) => {
    const sessionIds = each.map(({ sessionId }) => sessionId)
    const turns = sessionIds.filter((sessionId) => inTurn.has(sessionId)).length
    return { label, sessions: each.length, turns, sessionIds: sessionIds.slice(0, MAX_NAMED) }
  })
}

function isInTurn({ summary }: SessionRow): boolean {
  return readStatus(summary)?.inTurn === true
}

function isEnded({ summary }: SessionRow): boolean {
  return readStatus(summary)?.life === "ended"
}
