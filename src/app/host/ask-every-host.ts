// Asks each running host of a home, or of a cluster. Starts no host and creates no log.
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Answered, HostPort } from "../../contract/host-port.ts"
import type { LiveHost } from "../../log/event-log.ts"
import { accepted } from "../app-fault.ts"
import { busOf, clusterOf, type ClusterPlace } from "../cluster/cluster.ts"
import { Connections } from "./connections.ts"
import { openLog } from "./open-log.ts"

export interface HostAnswer<Value> {
  readonly host: LiveHost
  /** Absent if the host did not answer: one of an older release may not know the query. */
  readonly value: Value | undefined
}

/** `door` names the caller. */
export async function askEveryHost<Value>(
  place: ClusterPlace,
  door: string,
  ask: (port: HostPort) => Promise<Answered<Value>>,
): Promise<readonly HostAnswer<Value>[]> {
  const { home } = place
  const cluster = clusterOf(place)
  if (cluster === undefined && !existsSync(join(home, "turnhouse.db"))) return []
  const log = await openLog(place)
  const bus = await busOf(cluster, home)
  const connections = new Connections(home, door, bus)
  try {
    const hosts = accepted(await log.hosts())
    return await Promise.all(
      hosts.value.map(async (host) => {
        const port = await connections.to(host.hostId)
        const answered = port === undefined ? undefined : await ask(port)
        return { host, value: answered?.kind === "answer" ? answered.value : undefined }
      }),
    )
  } finally {
    connections.close()
    await bus?.close()
    await log.close()
  }
}
