// Connections to other hosts of this home, and over the bus to those of other nodes, each opened once. A host that does not
// answer in time counts as absent: it may be frozen, and its lease expires.
import { existsSync } from "node:fs"
import type { HouseClient } from "../../clients/house/house-client.ts"
import type { NatsBus } from "../../transports/nats/nats-bus.ts"
import { socketPath } from "./socket-path.ts"

const connectTimeoutMs = 2000

export { socketPath }

export class Connections {
  readonly #home: string
  readonly #door: string
  readonly #bus: NatsBus | undefined
  readonly #open = new Map<string, Promise<HouseClient | undefined>>()
  readonly #refused = new Map<string, string>()

  /** `bus` is absent where there are no other nodes. */
  constructor(home: string, door: string, bus?: NatsBus) {
    this.#home = home
    this.#door = door
    this.#bus = bus
  }

  async to(hostId: string): Promise<HouseClient | undefined> {
    const known = this.#open.get(hostId)
    if (known !== undefined) return known
    const connecting = this.#connect(hostId)
    this.#open.set(hostId, connecting)
    const client = await connecting
    const forget = () => this.#open.get(hostId) === connecting && this.#open.delete(hostId)
    if (client === undefined) forget()
    else void client.closed.then(forget)
    return client
  }

  /** Why the host refused the handshake; it speaks no version of this release. */
  refusedBy(hostId: string): string | undefined {
    return this.#refused.get(hostId)
  }

  close(): void {
    for (const connecting of this.#open.values()) void connecting.then((client) => client?.close())
  }

  /** Nothing if the host does not listen (it is starting or exiting), or if it refuses this release. */
  async #connect(hostId: string): Promise<HouseClient | undefined> {
    const path = socketPath(this.#home, hostId)
    // Most processes never need it.
    const { HouseClient, HouseRefused } = await import("../../clients/house/house-client.ts")
    try {
      if (this.#bus === undefined || existsSync(path))
        return await HouseClient.connect(path, { door: this.#door, patienceMs: connectTimeoutMs })
      const { connectOverBus } = await import("../cluster/bus.ts")
      return await connectOverBus(this.#bus, hostId, this.#door, connectTimeoutMs)
    } catch (fault) {
      const isRefused = fault instanceof HouseRefused && fault.refusal.code === "frame.bad"
      if (isRefused) this.#refused.set(hostId, fault.refusal.what)
      return undefined
    }
  }
}
