// `turnhouse/house`: client of the native API (house wire), over a host's control socket or a server's `/house`.
import { houseLimits } from "../../protocols/house/limits.ts"
import type { LineConnection, OnConnection } from "../../transports/line-connection.ts"
import { connectToSocket } from "../../transports/unix-socket.ts"
import { connectToWebSocket } from "../../transports/websocket-lines.ts"
import { LineClient, type ConnectOptions } from "./line-client.ts"
import { parseAddress } from "./address.ts"

export type { SessionCommand } from "../../contract/commands.ts"
export type { Answered, SendOutcome, Watcher, WatchItem } from "../../contract/host-port.ts"
export type { SessionId } from "../../contract/ids.ts"
export type { Answers, HostQuery, Queries, QueryType } from "../../contract/queries.ts"
export { describeRefusal, describeRefusal as sentence } from "../../contract/text/describe-refusal.ts"
export type { Refusal } from "../../contract/refusals.ts"
export type { SessionOptions, ShellEnvironment } from "../../contract/session-options.ts"
export type { HostGreeting } from "./handshake.ts"
export { HouseRefused, type ConnectOptions, type Joined, type OpenedRemote } from "./line-client.ts"
export { RemoteHandle } from "./remote-handle.ts"

/**
 * Sessions of another process of this user.
 *
 *     const house = await HouseClient.connect(join(home, "hosts", "HOST.sock"), { door: "my-script" })
 *     const opened = await house.create({ cwd: process.cwd(), origin: "my-script" })
 *     if (opened.kind === "refused") throw new Error(describeRefusal(opened.refusal))
 *     await opened.handle.watch(0, (item) => console.log(item))
 *     await opened.handle.send({ type: "prompt", promptId: `prm_${randomUUID()}`, text: "Hello", ifBusy: "wait" })
 *
 * A refusal is a value; only faults are thrown. Watchers are called in order and must not block.
 */
export class HouseClient extends LineClient {
  /**
   * Connects to a host by the path of its socket, or to a server by its address: `ws://127.0.0.1:8787/house`, or the one
   * with a key that `turnhouse link` prints. Throws when nothing listens there, and `HouseRefused` when the host refuses
   * the handshake.
   */
  static connect(place: string, options: ConnectOptions = {}): Promise<HouseClient> {
    const { address, key } = parseAddress(place)
    return HouseClient.over(
      (onConnection) => connectTo(address, onConnection),
      key === undefined ? options : { key, ...options },
    )
  }
}

function connectTo(place: string, onConnection: OnConnection): Promise<LineConnection> {
  if (/^wss?:\/\//.test(place)) return connectToWebSocket(place, onConnection)
  return connectToSocket(place, houseLimits.lineBytes, onConnection)
}
