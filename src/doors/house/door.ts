// The native API (house wire) as a door: on a Unix socket, or on any other connection that carries lines.
import { houseErrors } from "../../protocols/house/errors.ts"
import { houseLimits } from "../../protocols/house/limits.ts"
import type { Line } from "../../transports/framing/lines.ts"
import type { LineConnection, LineListener } from "../../transports/line-connection.ts"
import { listenOnSocket, type Admits } from "../../transports/unix-socket.ts"
import { HouseConnection, type HouseDoorOptions } from "./connection.ts"

export const errors = houseErrors
export const limits = houseLimits

export function open(connection: LineConnection, options: HouseDoorOptions): (line: Line) => void {
  const client = new HouseConnection(connection, options)
  return (line) => client.receive(line)
}

/** On a Unix socket that only this user can open. */
export function listen(path: string, admits: Admits, options: HouseDoorOptions): Promise<LineListener> {
  return listenOnSocket(path, limits.lineBytes, admits, (connection) => open(connection, options))
}
