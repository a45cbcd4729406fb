// Opens the doors of a host besides the network: its control socket, a session socket for each open session and, on a node of a
// cluster, its place on the bus.
import type { RunningHost } from "../compose.ts"
import { SessionSockets } from "../session-sockets/session-sockets.ts"
import type { AppContext } from "../context.ts"
import { existsSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { doors } from "../../doors/table.ts"
import type { EventLog } from "../../log/event-log.ts"
import type { LineListener } from "../../transports/line-connection.ts"
import { isAbandoned } from "../../transports/unix-socket.ts"
import { admitPeers } from "./admit-peers.ts"
import { localUser } from "../local-user.ts"
import { socketPath } from "./connections.ts"
import { version } from "../../program/program-files.ts"

export interface LocalDoors {
  readonly sessions: SessionSockets
  close(): Promise<void>
}

export async function openLocalDoors(context: AppContext, running: RunningHost): Promise<LocalDoors> {
  const control = await openControlSocket(context.home, running)
  const overBus = await listenOnBus(running)
  const sessions = new SessionSockets(context, running)
  const close = async () => {
    await sessions.close()
    await control.close()
    await overBus?.close()
  }
  return { sessions, close }
}

async function openControlSocket(home: string, running: RunningHost): Promise<LineListener> {
  const { log, lease } = running.host
  await removeLeftovers(home, log)
  const { listen } = await doors.house.load()
  return listen(socketPath(home, lease.hostId), admitPeers(running.toolGroups), nativeOptions(running))
}

/** Links are sealed with a key of the cluster: who opens one is another node. */
async function listenOnBus(running: RunningHost): Promise<LineListener | undefined> {
  if (running.bus === undefined) return undefined
  const { open, limits } = await doors.house.load()
  const options = nativeOptions(running)
  return running.bus.listen(options.host, limits.lineBytes, (connection) => open(connection, options))
}

function nativeOptions({ host, local, role }: RunningHost) {
  const by = { principal: localUser(), door: "house" }
  return { port: local, by, host: host.lease.hostId, role, release: version() }
}

/** Removes sockets of killed hosts. A frozen host has lost its lease, but keeps its socket. */
async function removeLeftovers(home: string, log: EventLog): Promise<void> {
  const folder = join(home, "hosts")
  // Sockets are listed before hosts: a host registers before it creates its socket, so a starting host is known.
  const found = existsSync(folder) ? readdirSync(folder) : []
  const hosts = await log.hosts("of this node")
  if (hosts.kind === "refused") return // then no host is known to be dead
  const living = new Set(hosts.value.map(({ hostId }) => `${hostId}.sock`))
  for (const name of found.filter((file) => file.endsWith(".sock") && !living.has(file))) {
    const path = join(folder, name)
    if (await isAbandoned(path)) rmSync(path, { force: true })
  }
}
