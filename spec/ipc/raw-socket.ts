// Bytes to and from a socket. Reading can be stopped, each side can be ended, and every wait fails when the connection
// is over.
import { once } from "node:events"
import type { Socket } from "node:net"
import { openSocket } from "../../src/transports/socket-address.ts"

export class RawSocket {
  /** Resolves when nothing more comes. */
  readonly closed: Promise<void>
  readonly #socket: Socket
  readonly #waiting = new Set<() => void>()
  #isOver = false

  constructor(socket: Socket, onData: (chunk: Buffer) => void) {
    this.#socket = socket
    this.closed = new Promise((resolve) => {
      const over = () => {
        this.#isOver = true
        this.look()
        resolve()
      }
      socket.once("end", over).once("close", over)
    })
    socket.on("error", () => {}) // the other side need not read to the end
    socket.on("data", (chunk: Buffer) => {
      onData(chunk)
      this.look()
    })
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Resolves when the system has accepted them, or never will. */
  send(bytes: Uint8Array): Promise<void> {
    if (this.#socket.destroyed) return Promise.resolve()
    return new Promise((resolve) => this.#socket.write(bytes, () => resolve()))
  }

  /** Resolves with the first value that is found. */
  until<Found>(what: () => string, look: () => Found | undefined): Promise<Found> {
    return new Promise((resolve, reject) => {
      const check = () => {
        const found = look()
        if (found === undefined && !this.#isOver) return
        this.#waiting.delete(check)
        if (found === undefined) reject(new Error(what()))
        else resolve(found)
      }
      this.#waiting.add(check)
      check()
    })
  }

  look(): void {
    for (const check of this.#waiting) check()
  }

  endInput(): void {
    this.#socket.end()
  }

  /** As if the viewer's process was killed. */
  destroy(): void {
    this.#socket.destroy()
  }

  stopReading(): void {
    this.#socket.pause()
  }

  resumeReading(): void {
    this.#socket.resume()
  }
}

export async function connected(path: string, onData: (chunk: Buffer) => void): Promise<RawSocket> {
  return new RawSocket(await openSocket(path), onData)
}

/** Opens and closes at once. */
export async function openAndClose(path: string): Promise<void> {
  const socket = await openSocket(path)
  socket.destroy()
  await once(socket, "close")
}
