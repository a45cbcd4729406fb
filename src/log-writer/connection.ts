// One connection to a running writer.
import type { Socket } from "node:net"
import { join } from "node:path"
import { messageOf } from "../log/sqlite/faults.ts"
import { LineSplitter } from "../transports/framing/lines.ts"
import { openSocket } from "../transports/socket-address.ts"
import type { WriterFrame } from "./frames.ts"
import { hasCode, killFrozen, type WriterPlace } from "./place.ts"
import { MAX_LINE_BYTES, writerFrameIn } from "./wire.ts"

/** How long a writer may be silent before its process is checked. */
const silenceMs = 200

export class WriterConnection {
  readonly #socket: Socket
  readonly #name: string
  readonly #onFrame: (frame: WriterFrame) => void
  readonly #watch: NodeJS.Timeout
  #isWaiting = true
  #frames = 0
  #framesBefore = -1

  constructor(socket: Socket, name: string, onFrame: (frame: WriterFrame) => void, onEnd: () => void) {
    this.#socket = socket
    this.#name = name
    this.#onFrame = onFrame
    const lines = new LineSplitter(MAX_LINE_BYTES, (line) => {
      if (line.kind === "line") this.#receive(line.text)
      else socket.destroy()
    })
    socket.on("data", (bytes) => lines.push(bytes))
    socket.on("error", () => socket.destroy())
    socket.once("close", () => {
      clearInterval(this.#watch)
      onEnd()
    })
    this.#watch = setInterval(() => this.#checkSilence(), silenceMs)
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed
  }

  /** Without waiting requests the connection does not keep the process alive. */
  set isWaiting(isWaiting: boolean) {
    if (this.#isWaiting === isWaiting) return
    this.#isWaiting = isWaiting
    if (isWaiting) this.#socket.ref()
    else this.#socket.unref()
    if (isWaiting) this.#watch.ref()
    else this.#watch.unref()
  }

  send(lines: string): void {
    if (this.#socket.writable) this.#socket.write(lines)
  }

  close(): void {
    this.#socket.destroy()
  }

  #receive(line: string): void {
    this.#frames += 1
    try {
      this.#onFrame(writerFrameIn(line))
    } catch (fault) {
      this.#socket.destroy(new Error(messageOf(fault)))
    }
  }

  /** A silent writer waits for the disk or for a core, or it is frozen. */
  #checkSilence(): void {
    const isSilent = this.#isWaiting && this.#frames === this.#framesBefore
    this.#framesBefore = this.#frames
    if (isSilent) killFrozen(this.#name)
  }
}

/** Undefined if no writer listens there any more. */
export async function openWriterSocket({ folder }: WriterPlace, name: string): Promise<Socket | undefined> {
  try {
    return await openSocket(join(folder, name))
  } catch (error) {
    if (hasCode(error, "ECONNREFUSED", "ENOENT", "EAGAIN", "ECONNRESET")) return undefined
    throw error
  }
}
