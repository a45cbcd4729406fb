// Connections that have not become a WebSocket: their request is half sent, being answered, or still to come. Of one
// address only a few may stay longer than a moment, and there is a bound for all together; past either the longest silent
// is closed. Opening very many and sending nothing pushes out one's own, and a whole request still gets in.
import type { Server, Socket } from "node:net"

export interface LobbyLimits {
  /** Connections of one address that were silent for longer than a moment. Infinity where all come from a proxy. */
  readonly perAddress: number
  readonly all: number
  /** Addresses that count as one. Default: each by itself. */
  readonly networkOf?: (address: string) => string
}

/** So many clients may connect at the same moment, after a restart above all, that their age decides as well. */
const MOMENT_MS = 1000

type Peer = Pick<Socket, "remoteAddress" | "remotePort">

interface Waiting {
  readonly socket: Socket
  readonly network: string
  readonly since: number
}

export class Lobby {
  readonly #limits: LobbyLimits
  readonly #now: () => number
  /** The longest silent first, of all and of each network. */
  readonly #all = new Map<string, Waiting>()
  readonly #networks = new Map<string, Map<string, Waiting>>()

  constructor(limits: LobbyLimits, now: () => number = () => performance.now()) {
    this.#limits = limits
    this.#now = now
  }

  get size(): number {
    return this.#all.size
  }

  attend(server: Server): void {
    server.on("connection", (socket) => this.enter(socket))
  }

  enter(socket: Socket): void {
    const { networkOf = (address) => address, perAddress, all } = this.#limits
    const key = keyOf(socket)
    const waiting = { socket, network: networkOf(socket.remoteAddress ?? ""), since: this.#now() }
    this.#add(key, waiting)
    socket.once("close", () => this.#remove(key, socket))
    this.#closeOver(this.#networks.get(waiting.network), perAddress, this.#now() - MOMENT_MS)
    this.#closeOver(this.#all, all, Infinity)
  }

  /** A whole request has come: others are closed before it. */
  refresh(peer: Peer): void {
    const key = keyOf(peer)
    const waiting = this.#all.get(key)
    if (waiting === undefined) return
    this.#remove(key, waiting.socket)
    this.#add(key, { ...waiting, since: this.#now() })
  }

  /** It has become a WebSocket, which others count. Over TLS it is another object with the same address and port. */
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

  /** A port is used again as soon as its connection is gone: only the very same socket is removed. */
  #remove(key: string, socket: Socket): void {
    const waiting = this.#all.get(key)
    if (waiting?.socket !== socket) return
    this.#all.delete(key)
    const own = this.#networks.get(waiting.network)
    own?.delete(key)
    if (own?.size === 0) this.#networks.delete(waiting.network)
  }

  /** Only those that are silent since before that time, and only as long as there are more than the limit. */
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
