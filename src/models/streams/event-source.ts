// Splits the bytes of an event stream (text/event-stream) into the data of its events. Only whole lines are decoded, so
// that no character is ever cut; what is behind the last line end is kept as bytes. Fields other than `data` are not used
// by any provider, and an event without its closing empty line does not count.
import { ModelFault } from "../faults.ts"
import type { ByteSource } from "../http/byte-source.ts"

/** Of one event. The last event of a long answer repeats all of it in some formats. */
export const MAX_EVENT_BYTES = 32 * 1024 * 1024

const LF = 10
const CR = 13
const SPACE = 32

export class EventSource {
  readonly #bytes: ByteSource
  readonly #splitter = new EventSplitter()

  constructor(bytes: ByteSource) {
    this.#bytes = bytes
  }

  /** The events of the next bytes that complete one; undefined at the end. */
  async next(): Promise<readonly string[] | undefined> {
    for (;;) {
      const read = await this.read()
      if (read.done) return undefined
      const events = this.split(read.value)
      if (events.length > 0) return events
    }
  }

  /** The next bytes, for `split`: one promise less than `next`. */
  read(): ReturnType<ByteSource["read"]> {
    return this.#bytes.read()
  }

  /** The events that these bytes complete. */
  split(bytes: Uint8Array): readonly string[] {
    return this.#splitter.push(bytes)
  }

  cancel(reason: unknown): Promise<void> {
    return this.#bytes.cancel(reason)
  }
}

export class EventSplitter {
  /** The first one leaves out a byte order mark. */
  #decoder = new TextDecoder()
  /** Bytes behind the last line end. */
  #rest: Uint8Array[] = []
  #restLength = 0
  /** Lines of the event that has begun. */
  #data: string | undefined
  #events: string[] = []

  push(chunk: Uint8Array): readonly string[] {
    const bytes = this.#rest.at(-1)?.at(-1) === CR ? this.#withRest(chunk) : chunk
    const end = lastLineEnd(bytes)
    if (end === 0) this.#keep(bytes)
    else {
      this.#split(this.#decode(bytes, end))
      if (end < bytes.length) this.#keep(bytes.subarray(end))
    }
    if (this.#restLength + (this.#data?.length ?? 0) > MAX_EVENT_BYTES) throw tooLarge()
    const events = this.#events
    this.#events = []
    return events
  }

  #keep(bytes: Uint8Array): void {
    this.#rest.push(bytes)
    this.#restLength += bytes.length
  }

  #withRest(bytes: Uint8Array): Uint8Array {
    if (this.#restLength === 0) return bytes
    const whole = Buffer.concat([...this.#rest, bytes])
    this.#rest = []
    this.#restLength = 0
    return whole
  }

  #decode(bytes: Uint8Array, end: number): string {
    const text = this.#decoder.decode(this.#withRest(bytes.subarray(0, end)))
    this.#decoder = laterDecoder
    return text.includes("\r") ? text.replaceAll(/\r\n?/g, "\n") : text
  }

  #split(text: string): void {
    for (let start = 0; start < text.length;) {
      const end = text.indexOf("\n", start)
      if (end === start) this.#dispatch()
      else this.#readLine(text, start, end)
      start = end + 1
    }
  }

  #dispatch(): void {
    if (this.#data !== undefined && this.#data !== "[DONE]") this.#events.push(this.#data)
    this.#data = undefined
  }

  #readLine(text: string, start: number, end: number): void {
    if (!text.startsWith("data", start)) return
    const isBare = end === start + 4
    if (!isBare && text[start + 4] !== ":") return
    const value = isBare ? "" : text.slice(start + (text.charCodeAt(start + 5) === SPACE ? 6 : 5), end)
    this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`
  }
}

const laterDecoder = new TextDecoder("utf-8", { ignoreBOM: true })

/** Behind the last line end. A carriage return at the very end may be the first half of one. */
function lastLineEnd(bytes: Uint8Array): number {
  const end = bytes.lastIndexOf(LF) + 1
  for (let at = bytes.length - 2; at >= end; at--) if (bytes[at] === CR) return at + 1
  return end
}

function tooLarge(): ModelFault {
  return new ModelFault(
    `The provider sent an event of more than ${MAX_EVENT_BYTES / 1024 / 1024} MiB: it was not read.`,
  )
}
