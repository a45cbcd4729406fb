// Connections to other hosts of this home, each opened once. A host that does not answer in time counts as absent: it may
// be frozen, and its lease expires.
import { HouseClient } from "../../clients/house/house-client.ts"
import { socketPath } from "./socket-path.ts"

const patienceMs = 2000

export { socketPath }

export class Connections {
  readonly #home: string
  readonly #door: string
  readonly #open = new Map<string, Promise<HouseClient | undefined>>()

  constructor(home: string, door: string) {
    this.#home = home
    this.#door = door
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

  close(): void {
    for (const connecting of this.#open.values()) void connecting.then((client) => client?.close())
  }

  /** Nothing if the host does not listen: it is starting or exiting. */
  async #connect(hostId: string): Promise<HouseClient | undefined> {
    try {
      return await HouseClient.connect(socketPath(this.#home, hostId), { door: this.#door, patienceMs })
    } catch {
      return undefined
    }
  }
}
