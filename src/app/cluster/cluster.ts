// What makes a home a node of a cluster: the log in PostgreSQL, the bus, and the name and labels of the node.
import { createHash } from "node:crypto"
import { hostname } from "node:os"
import { sep } from "node:path"
import type { NodeIdentity } from "../../log/event-log.ts"
import type { NatsBus } from "../../transports/nats/nats-bus.ts"
import { version } from "../../program/program-files.ts"
import type { AppContext } from "../context.ts"

export interface Cluster {
  readonly databaseUrl: string
  /** Absent: sessions of other nodes cannot be reached from here. */
  readonly natsUrl: string | undefined
  readonly node: NodeIdentity
  /** Label of the nodes that have this folder: a configured one, or the name of this node. */
  readonly placeOf: (folder: string) => string
}

export type ClusterPlace = Pick<AppContext, "home" | "config">

/** Undefined for a home whose log is in SQLite. */
export function clusterOf({ home, config }: ClusterPlace): Cluster | undefined {
  const { store, bus, node } = config
  if (store?.type !== "postgres") return undefined
  const { labels = {}, name = defaultName(home) } = node ?? {}
  return {
    databaseUrl: store.url,
    natsUrl: bus?.type === "nats" ? bus.url : undefined,
    node: { name, labels: [name, ...Object.keys(labels)], release: version() },
    placeOf: (folder) => labelOf(labels, folder) ?? name,
  }
}

/** Undefined for a node without NATS, and for a home that is no node. */
export async function busOf(cluster: Cluster | undefined, home: string): Promise<NatsBus | undefined> {
  if (cluster?.natsUrl === undefined) return undefined
  const { openBus } = await import("./bus.ts")
  return openBus(cluster, cluster.natsUrl, home)
}

/** Label of the nodes that can run a session. One of the WebSocket API uses no folder of a node. */
export function placeOfSession(
  cluster: Cluster,
  { preset, cwd }: { readonly preset?: string | undefined; readonly cwd: string },
): string | undefined {
  return preset === "service" ? undefined : cluster.placeOf(cwd)
}

/** Unique also for two homes on one machine, and the same after a restart. */
function defaultName(home: string): string {
  const digest = createHash("sha256").update(home).digest("hex").slice(0, 4)
  return `${hostname()
    .replaceAll(/[^A-Za-z0-9._-]/g, "-")
    .slice(0, 50)}-${digest}`
}

/** Of the label whose folder is the closest one above. */
function labelOf(labels: Readonly<Record<string, readonly string[]>>, folder: string): string | undefined {
  const roots = Object.entries(labels).flatMap(([label, folders]) => folders.map((root) => ({ label, root })))
  const above = roots.filter(({ root }) => folder === root || folder.startsWith(root.endsWith(sep) ? root : root + sep))
  return above.toSorted((one, other) => other.root.length - one.root.length)[0]?.label
}
