// Limits open connections, in total and per account. A connection counts until its socket closes.
import type { Duplex } from "node:stream"
import type { Reply } from "../http/request.ts"
import type { Allowances } from "../../identity/allowances/allowances.ts"

const full: Reply = {
  status: 503,
  text: "Too many connections. Retry later.",
  headers: { "retry-after": "30" },
}
const tooMany: Reply = {
  status: 429,
  text: "Too many connections from this caller. Close some first.",
  headers: { "retry-after": "30" },
}
const gone: Reply = { status: 400, text: "The connection is closed." }

export class ConnectionLimit {
  readonly #allowances: Allowances
  readonly #max: number
  #open = 0

  constructor(allowances: Allowances, max: number) {
    this.#allowances = allowances
    this.#max = max
  }

  /** Returns why the connection is refused, or counts it until the socket closes. */
  enter(account: string, socket: Duplex): Reply | undefined {
    if (socket.destroyed) return gone
    if (this.#open >= this.#max) return full
    if (!this.#allowances.enter(account)) return tooMany
    this.#open += 1
    socket.once("close", () => {
      this.#open -= 1
      this.#allowances.leave(account)
    })
    return undefined
  }
}

/** Bytes of a hello with the longest token. More closes the connection. */
const MAX_FIRST_BYTES = 16 * 1024

/** Limits what an unauthenticated client may send: its frames are buffered. Returns a function that lifts the limit. */
export function limitFirstFrame(socket: Duplex): () => void {
  let bytes = 0
  const count = (piece: Buffer) => {
    bytes += piece.length
    if (bytes > MAX_FIRST_BYTES) socket.destroy()
  }
  socket.on("data", count)
  return () => socket.off("data", count)
}
