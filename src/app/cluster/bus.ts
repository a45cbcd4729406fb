// Opens the bus of a node: links to hosts on other nodes. Loaded only for a node with NATS.
import { hkdfSync } from "node:crypto"
import { HouseClient } from "../../clients/house/house-client.ts"
import { houseLimits } from "../../protocols/house/limits.ts"
import { homeKey } from "../../secrets/home-key.ts"
import { NatsBus } from "../../transports/nats/nats-bus.ts"
import { printNotice } from "../terminal.ts"
import type { Cluster } from "./cluster.ts"

const KEY_BYTES = 32
const NAME_BYTES = 6

/** Connects to NATS with its first use. Nodes with other keys are of another cluster: they do not see each other. */
export function openBus({ node }: Cluster, url: string, home: string): NatsBus {
  const key = homeKey(home)
  return new NatsBus({
    url,
    name: `turnhouse ${node.name}`,
    key: derived(key, "turnhouse links between nodes", KEY_BYTES),
    cluster: Buffer.from(derived(key, "turnhouse name of the cluster", NAME_BYTES)).toString("hex"),
    warn: (message) => printNotice(`turnhouse: ${message}`),
  })
}

export function connectOverBus(bus: NatsBus, hostId: string, door: string, patienceMs: number): Promise<HouseClient> {
  return HouseClient.over((onConnection) => bus.connect(hostId, houseLimits.lineBytes, onConnection, patienceMs), {
    door,
    patienceMs,
  })
}

function derived(key: Uint8Array, purpose: string, bytes: number): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", key, Buffer.alloc(0), purpose, bytes))
}
