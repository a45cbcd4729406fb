// How many may be inside: all together, and each by their account. Whoever goes, in whatever way, makes room.
import type { Duplex } from "node:stream"
import type { Reply } from "../http/request.ts"
import type { Allowances } from "../../identity/allowances.ts"

const full: Reply = {
  status: 503,
  text: "Too many are connected. Come back in a moment.",
  headers: { "retry-after": "30" },
}
const tooMany: Reply = {
  status: 429,
  text: "You have too many connections. Close some of them first.",
  headers: { "retry-after": "30" },
}
const gone: Reply = { status: 400, text: "The connection is over." }

export class ConnectionLimit {
  readonly #allowances: Allowances
  readonly #most: number
  #inside = 0

  constructor(allowances: Allowances, most: number) {
    this.#allowances = allowances
    this.#most = most
  }

  /** Why they cannot come in, or nothing: then they are inside until the socket closes. */
  enter(account: string, socket: Duplex): Reply | undefined {
    if (socket.destroyed) return gone
    if (this.#inside >= this.#most) return full
    if (!this.#allowances.enter(account)) return tooMany
    this.#inside += 1
    socket.once("close", () => {
      this.#inside -= 1
      this.#allowances.leave(account)
    })
    return undefined
  }
}
