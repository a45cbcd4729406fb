// Connections that are not upgraded: waiting for a request, receiving it or answering it. They are limited per address
// and in total; beyond a limit the longest silent one is closed. So an address that opens many and sends nothing closes
// its own connections, and complete requests are still served.
import type { Server, Socket } from "node:net"

export interface PendingLimits {
  /** Connections of one address that were silent for a second. Infinity behind a proxy. */
  readonly perAddress: number
  readonly all: number
  /** Groups addresses that count as one. Default: each address alone. */
  readonly networkOf?: (address: string) => string
}

/** After a restart many clients of one address may connect at once: newer connections do not count. */
const MIN_SILENT_MS = 1000

type Peer = Pick<Socket, "remoteAddress" | "remotePort">

interface Waiting {
  readonly socket: Socket
  readonly network: string
  readonly since: number
}

export class PendingConnections {
  readonly #limits: PendingLimits
  readonly #now: () => number
  /** Longest silent first: all, and by network. */
  readonly #all = new Map<string, Waiting>()
  readonly #networks = new Map<string, Map<string, Waiting>>()

  constructor(limits: PendingLimits, now: () => number = () => performance.now()) {
    this.#limits = limits
    this.#now = now
  }

  get size(): number {
    return this.#all.size
  }

  track(server: Server): void {
    server.on("connection", (socket) => this.enter(socket))
  }

  enter(socket: Socket): void {
    const { networkOf = (address) => address, perAddress, all } = this.#limits
    const key = keyOf(socket)
    const waiting = { socket, network: networkOf(socket.remoteAddress ?? ""), since: this.#now() }
    this.#add(key, waiting)
    socket.once("close", () => this.#remove(key, socket))
    this.#closeOver(this.#networks.get(waiting.network), perAddress, this.#now() - MIN_SILENT_MS)
    this.#closeOver(this.#all, all, Infinity)
  }

  /** A complete request has arrived: others are closed first. */
  refresh(peer: Peer): void {
    const key = keyOf(peer)
    const waiting = this.#all.get(key)
    if (waiting === undefined) return
    this.#remove(key, waiting.socket)
    this.#add(key, { ...waiting, since: this.#now() })
  }

  /** The connection was upgraded. Over TLS its socket is another object with the same address and port. */
  leave(peer: Peer): void {
    const key = keyOf(peer)
    const waiting = this.#all.get(key)
    if (waiting !== undefined) this.#remove(key, waiting.socket)
  }

  #add(key: string, waiting: Waiting): void {
    const own = this.#networks.get(waiting.network) ?? new Map<string, Waiting>()
    this.#networks.set(waiting.network, own.set(key, waiting))
    this.#all.set(key, waiting)
  }

  /** A port may already be in use by a new connection: only the same socket is removed. */
  #remove(key: string, socket: Socket): void {
    const waiting = this.#all.get(key)
    if (waiting?.socket !== socket) return
    this.#all.delete(key)
    const own = this.#networks.get(waiting.network)
    own?.delete(key)
    if (own?.size === 0) this.#networks.delete(waiting.network)
  }

  /** Closes connections that were silent since `before`, down to the limit. */
  #closeOver(waiting: ReadonlyMap<string, Waiting> | undefined, limit: number, before: number): void {
    for (const [key, { socket, since }] of waiting ?? []) {
      if ((waiting?.size ?? 0) <= limit || since > before) return
      this.#remove(key, socket)
      socket.destroy()
    }
  }
}

function keyOf({ remoteAddress, remotePort }: Peer): string {
  return `${remoteAddress} ${remotePort}`
}
