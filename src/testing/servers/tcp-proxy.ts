// A network between two programs on loopback that a test can cut, slow down and stop.
import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"

export type NetworkState =
  | { readonly kind: "up"; readonly delayMs?: number }
  /** Nothing arrives, and nothing is refused: connections stay open, new ones hang. */
  | { readonly kind: "partitioned" }
  /** Connections end, and new ones are refused. */
  | { readonly kind: "down" }

export class TcpProxy {
  readonly port: number
  readonly #close: () => Promise<void>
  readonly #sockets: Set<Socket>
  readonly #state: { now: NetworkState }
  readonly #changed: Set<() => void>

  static async to(port: number): Promise<TcpProxy> {
    const sockets = new Set<Socket>()
    const changed = new Set<() => void>()
    const state: { now: NetworkState } = { now: { kind: "up" } }
    const server = createServer((inner) => {
      if (state.now.kind === "down") return void inner.destroy()
      const outer = connect(port, "127.0.0.1")
      for (const [from, to] of [
        [inner, outer],
        [outer, inner],
      ] as const) {
        sockets.add(from)
        from.on("error", () => {})
        from.on("close", () => {
          sockets.delete(from)
          to.destroy()
        })
        void forward(from, to, state, changed)
      }
    })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const address = server.address()
    if (address === null || typeof address === "string") throw new Error("the proxy has no port")
    const close = async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, "close")
    }
    return new TcpProxy(address.port, sockets, state, changed, close)
  }

  private constructor(
    port: number,
    sockets: Set<Socket>,
    state: { now: NetworkState },
    changed: Set<() => void>,
    close: () => Promise<void>,
  ) {
    this.port = port
    this.#sockets = sockets
    this.#state = state
    this.#changed = changed
    this.#close = close
  }

  set(state: NetworkState): void {
    this.#state.now = state
    if (state.kind === "down") for (const socket of this.#sockets) socket.destroy()
    for (const wake of this.#changed) wake()
  }

  close(): Promise<void> {
    this.set({ kind: "down" })
    return this.#close()
  }
}

async function forward(
  from: Socket,
  to: Socket,
  state: { readonly now: NetworkState },
  changed: Set<() => void>,
): Promise<void> {
  try {
    for await (const chunk of from) {
      await whenUp(state, changed)
      if (state.now.kind === "up" && state.now.delayMs !== undefined) await sleep(state.now.delayMs)
      if (!to.write(chunk)) await once(to, "drain")
    }
    to.end()
  } catch {
    to.destroy() // either side is gone
  }
}

async function whenUp(state: { readonly now: NetworkState }, changed: Set<() => void>): Promise<void> {
  while (state.now.kind === "partitioned") {
    const { promise, resolve } = Promise.withResolvers<void>()
    changed.add(resolve)
    await promise
    changed.delete(resolve)
  }
}
