// The nodes of a cluster, as the directory of the log knows them.
import { z } from "zod"
import { SessionId } from "../ids.ts"
import { list } from "./list.ts"

/** `expiring`: the lease was not renewed for so long that the host has stopped acting. `unreachable`: it has expired. */
export const NodeState = z.enum(["live", "expiring", "unreachable"])
export type NodeState = z.infer<typeof NodeState>

export const NodeHost = z.object({ hostId: z.string(), role: z.string(), pid: z.int(), state: NodeState })
export type NodeHost = z.infer<typeof NodeHost>

export const NodeReport = z.object({
  name: z.string(),
  /** The one that answers. */
  isThis: z.boolean(),
  /** That of its best host. */
  state: NodeState,
  release: z.string(),
  /** Places of sessions that it can run. */
  labels: list(z.string()),
  hosts: list(NodeHost),
  /** Whether it has a host that keeps sessions open for others: sessions can be moved to it. */
  takesSessions: z.boolean(),
  /** Sessions that its hosts own, or owned when their lease expired. */
  sessions: z.int(),
  /** Of these, in a turn. */
  turns: z.int(),
})
export type NodeReport = z.infer<typeof NodeReport>

/** Sessions that have not ended and that no living node can run. */
export const WaitingSessions = z.object({
  label: z.string(),
  sessions: z.int(),
  /** Of these, in a turn. */
  turns: z.int(),
  /** The newest. */
  sessionIds: list(SessionId),
})
export type WaitingSessions = z.infer<typeof WaitingSessions>

export const NodesReport = z.object({
  /** False: the log is in SQLite, and there is only this machine. */
  isCluster: z.boolean(),
  nodes: list(NodeReport),
  waiting: list(WaitingSessions),
})
export type NodesReport = z.infer<typeof NodesReport>

export const MovedSession = z.object({
  node: z.string(),
  /** False if it was there already. */
  moved: z.boolean(),
})
export type MovedSession = z.infer<typeof MovedSession>
