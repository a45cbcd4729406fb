// Turnhouse and the bare relay, as two more contenders of the comparison.
import type { Door, Kind } from "../doors/contender.ts"
import type { World } from "../doors/world.ts"
import type { Peer } from "./peer.ts"

export const bare = contender(
  "bare relay",
  "stdio, chat completions; stores with SQLite, checks nothing",
  "rpc",
  "bare",
)
export const rpc = contender("Turnhouse stdio", "turnhouse rpc, chat completions; durable log", "rpc", "ours")
export const ws = contender("Turnhouse WebSocket", "turnhouse serve, chat completions; durable log", "ws", "ours")
export const house = contender("Turnhouse native", "turnhouse host, chat completions; durable log", "house", "ours")

function contender(name: string, mode: string, door: Door, kind: Kind): Peer {
  return {
    name,
    isOurs: true,
    mode,
    tools: { read: `read {"path":"file.txt","limit":1#}`, bash: `bash {"command":"true #"}` },
    install: async () => "this checkout",
    start: (world: World) => world.start(door, kind),
  }
}
