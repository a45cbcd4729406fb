// A connection between two programs of a story that can be cut, as a network does: passes bytes to a port of this machine.
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net"

export class Relay {
  readonly #port: number
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #isCut = false

  static async open(port: number): Promise<Relay> {
    const relay = new Relay(port)
    await new Promise<void>((resolve) => relay.#server.listen(0, "127.0.0.1", resolve))
    return relay
  }

  private constructor(port: number) {
    this.#port = port
    this.#server = createServer((socket) => this.#serve(socket))
  }

  get port(): number {
    const address: AddressInfo | string | null = this.#server.address()
    return address !== null && typeof address === "object" ? address.port : 0
  }

  /** All connections are lost, without a goodbye, and new ones too until it is restored. */
  cut(): void {
    this.#isCut = true
    for (const socket of this.#sockets) socket.resetAndDestroy()
  }

  restore(): void {
    this.#isCut = false
  }

  close(): void {
    this.cut()
    this.#server.close()
  }

  #serve(from: Socket): void {
    if (this.#isCut) return void from.resetAndDestroy()
    const to = connect(this.#port, "127.0.0.1")
    for (const [socket, other] of [
      [from, to],
      [to, from],
    ] as const) {
      this.#sockets.add(socket)
      socket.pipe(other)
      socket.on("error", () => other.destroy())
      socket.once("close", () => {
        this.#sockets.delete(socket)
        other.destroy()
      })
    }
  }
}
