// How a command reaches the sessions of this home without being a host itself: the process that has a session open,
// else the background host, which is started when it is needed and not before.
import type { HostPort } from "../../contract/host-port.ts"
import { Links } from "../../host/links.ts"
import type { EventLog } from "../../log/event-log.ts"
import { backgroundHost } from "./background-host.ts"
import { openLog } from "../compose.ts"
import type { AppContext } from "../context.ts"
import { Connections } from "./connections.ts"

export interface HomeConnection {
  /** For reading; nothing is ever written through it. */
  readonly log: EventLog
  readonly port: HostPort
  close(): Promise<void>
}

export async function connectHome({ home }: Pick<AppContext, "home">, door: string): Promise<HomeConnection> {
  const log = openLog(home, () => {}) // the host that is reached reports a key that cannot be read
  const connections = new Connections(home, door)
  const port = new Links({
    log,
    home: () => backgroundHost(home, log, connections),
    connect: (hostId) => connections.to(hostId),
  })
  const close = async () => {
    port.close()
    connections.close()
    await log.close()
  }
  return { log, port, close }
}
