// The control socket of a host: other processes of the same user reach its sessions through it.
import { join } from "node:path"
import { HouseClient } from "../doors/house-client.ts"
import { HouseDoor } from "../doors/house-door.ts"
import type { House } from "../host/house.ts"
import { LocalPort } from "../host/local-port.ts"
import { maxLineBytes } from "../protocols/house/receive.ts"
import { listenOnSocket, type LineListener } from "../transports/unix-socket.ts"
import { localUser } from "./compose.ts"

export async function openControlSocket(home: string, house: House, role: string): Promise<LineListener> {
  const path = socketPath(home, house.lease.hostId)
  const options = {
    port: new LocalPort(house),
    by: { principal: localUser(), door: "house" },
    host: house.lease.hostId,
    role,
  }
  const listener = await listenOnSocket(path, maxLineBytes, (connection) => {
    const door = new HouseDoor(connection, options)
    return (line) => door.receive(line)
  })
  return listener
}

/** Nothing when nobody listens there: the host is just starting or going. */
export async function connectToHost(home: string, hostId: string): Promise<HouseClient | undefined> {
  try {
    return await HouseClient.connect(socketPath(home, hostId))
  } catch {
    return undefined
  }
}

function socketPath(home: string, hostId: string): string {
  return join(home, "hosts", `${hostId}.sock`)
}
