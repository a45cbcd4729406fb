// State of the extensions of open sessions, queried from every host of this home that answers. Starts no host and creates
// no log.
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { ExtensionReport } from "../../contract/views/host.ts"
import type { LiveHost } from "../../log/event-log.ts"
import { accepted } from "../app-fault.ts"
import { openLog } from "../compose.ts"
import { Connections } from "../host/connections.ts"

export interface HostReport {
  readonly host: LiveHost
  /** Absent if the host did not answer. */
  readonly extensions: readonly ExtensionReport[] | undefined
}

export async function askHosts(home: string): Promise<readonly HostReport[]> {
  if (!existsSync(join(home, "turnhouse.db"))) return []
  const log = openLog(home)
  const connections = new Connections(home, "ext")
  try {
    const hosts = accepted(await log.hosts())
    return await Promise.all(hosts.value.map(async (host) => ({ host, extensions: await askHost(host, connections) })))
  } finally {
    connections.close()
    await log.close()
  }
}

/** A host of an older release does not know the query. */
async function askHost({ hostId }: LiveHost, connections: Connections): Promise<HostReport["extensions"]> {
  const port = await connections.to(hostId)
  const answered = await port?.query({ type: "extensions" })
  return answered?.kind === "answer" ? answered.value : undefined
}
