// Bytes of an answer as they arrive. What arrived together is read together, and reading takes fewer promises than a stream of
// the platform.
import type { Readable } from "node:stream"

export interface ByteSource {
  read(): Promise<{ readonly done: true } | { readonly done: false; readonly value: Uint8Array }>
  cancel(reason: unknown): Promise<void>
}

/** Of a body that is not read in time, so much is kept here; then its connection has to wait. */
const MAX_WAITING_BYTES = 256 * 1024

export class ReadableSource implements ByteSource {
  readonly #stream: Readable
  #waiting: Buffer[] = []
  #waitingBytes = 0
  #isEnded = false
  #fault: { readonly reason: unknown } | undefined
  #wake: (() => void) | undefined

  constructor(stream: Readable) {
    this.#stream = stream
    stream.on("data", (chunk: Buffer) => this.#add(chunk))
    stream.on("end", () => this.#end())
    stream.on("error", (reason) => this.#break(reason))
    stream.on("close", () => this.#isEnded || this.#break(new TypeError("terminated")))
    if (stream.errored !== null) this.#break(stream.errored)
  }

  async read(): ReturnType<ByteSource["read"]> {
    while (this.#waiting.length === 0) {
      if (this.#fault !== undefined) throw this.#fault.reason
      if (this.#isEnded) return { done: true }
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
    const [first, ...others] = this.#waiting
    const value = first !== undefined && others.length === 0 ? first : Buffer.concat(this.#waiting)
    this.#waiting = []
    this.#waitingBytes = 0
    if (this.#stream.isPaused()) this.#stream.resume()
    return { done: false, value }
  }

  async cancel(): Promise<void> {
    this.#waiting = []
    this.#end()
    this.#stream.destroy()
  }

  #add(chunk: Buffer): void {
    if (this.#isEnded) return
    this.#waiting.push(chunk)
    this.#waitingBytes += chunk.length
    if (this.#waitingBytes > MAX_WAITING_BYTES) this.#stream.pause()
    this.#wakeUp()
  }

  #end(): void {
    this.#isEnded = true
    this.#wakeUp()
  }

  #break(reason: unknown): void {
    this.#fault ??= { reason }
    this.#wakeUp()
  }

  #wakeUp(): void {
    this.#wake?.()
    this.#wake = undefined
  }
}
