// Access to all sessions of a home for a command that is not a host: in the process that has a session open, else in the
// background host, which is started when it is first needed.
import type { HostPort } from "../../contract/host-port.ts"
import { Links, type LinksOptions } from "../../host/links.ts"
import type { EventLog } from "../../log/event-log.ts"
import { backgroundHost } from "./background-host.ts"
import { openLog } from "./open-log.ts"
import { busOf, clusterOf, type ClusterPlace } from "../cluster/cluster.ts"
import { Connections } from "./connections.ts"

export interface HomeConnection {
  /** For reading only. */
  readonly log: EventLog
  readonly port: HostPort
  close(): Promise<void>
}

/** `onChange`: the owner of a watched session is gone, or the next one is found. */
export async function connectHome(
  place: ClusterPlace,
  door: string,
  onChange: LinksOptions["onChange"] = () => {},
): Promise<HomeConnection> {
  const { home } = place
  const log = await openLog(place, { onKeyFault: () => {} }) // the host reports an unreadable key
  const cluster = clusterOf(place)
  const bus = await busOf(cluster, home)
  const connections = new Connections(home, door, bus)
  const port = new Links({
    log,
    node: cluster?.node,
    home: () => backgroundHost(home, log, connections),
    connect: (hostId) => connections.to(hostId),
    onChange,
  })
  const close = async () => {
    port.close()
    connections.close()
    await bus?.close()
    await log.close()
  }
  return { log, port, close }
}
