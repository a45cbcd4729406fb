// Limits tool output: keeps the beginning and the end, and states how much of the middle is left out. Memory is bounded.
// A cut never splits a character or a secret: enough bytes around it are kept for the scrubber.
import { limits } from "../contract/limits.ts"
import type { TextScrubber } from "./tool.ts"

/** Bytes reserved for what a tool adds after its output: an exit code, a notice. */
const NOTICE_BYTES = 1024
/** Bytes before the end that are kept for the scrubber and not shown; secrets are shorter. */
const margin = 16 * 1024

export class BoundedOutput {
  readonly #headLimit: number
  readonly #tailLimit: number
  readonly #head: Buffer[] = []
  #headBytes = 0
  /** Ring buffer of the shown end and the margin before it. */
  #ring = Buffer.alloc(0)
  #tailBytes = 0

  constructor(limit: number = limits.toolOutputBytes - NOTICE_BYTES) {
    this.#headLimit = Math.floor(limit / 2)
    this.#tailLimit = limit - this.#headLimit
  }

  get totalBytes(): number {
    return this.#headBytes + this.#tailBytes
  }

  get truncated(): boolean {
    return this.#tailBytes > this.#tailLimit
  }

  push(chunk: Uint8Array): void {
    const headPart = chunk.subarray(0, this.#headLimit - this.#headBytes)
    if (headPart.length > 0) this.#head.push(Buffer.from(headPart))
    this.#headBytes += headPart.length
    if (headPart.length < chunk.length) this.#pushTail(chunk.subarray(headPart.length))
  }

  text(scrubber: TextScrubber = NO_SCRUBBER): string {
    const limit = this.#headLimit + this.#tailLimit
    const head = Buffer.concat(this.#head)
    const ring = this.#ringInOrder()
    if (!this.truncated) return boundText(scrubber.text(Buffer.concat([head, ring]).toString("utf8")), limit)
    const first = head.subarray(0, endOfWhole(head))
    const from = startOfWhole(ring, ring.length - this.#tailLimit)
    const before = this.#tailBytes > ring.length ? [] : [head.subarray(-margin)] // else the bytes before it were overwritten
    const omitted = Buffer.concat([...before, ring.subarray(0, from)])
    const omittedBytes = this.totalBytes - first.length - (ring.length - from)
    return joined(
      scrubbedStart(first.toString("utf8"), scrubber),
      scrubbedEnd(wholeText(omitted), ring.toString("utf8", from), scrubber),
      omittedBytes,
      limit,
    )
  }

  #pushTail(bytes: Uint8Array): void {
    const size = this.#tailLimit + margin
    if (this.#ring.length === 0) this.#ring = Buffer.alloc(size)
    const kept = bytes.subarray(-size)
    const at = (this.#tailBytes + bytes.length - kept.length) % size
    const beforeEnd = kept.subarray(0, size - at)
    this.#ring.set(beforeEnd, at)
    this.#ring.set(kept.subarray(beforeEnd.length), 0)
    this.#tailBytes += bytes.length
  }

  #ringInOrder(): Buffer {
    if (this.#tailBytes <= this.#ring.length) return this.#ring.subarray(0, this.#tailBytes)
    const oldest = this.#tailBytes % this.#ring.length
    return Buffer.concat([this.#ring.subarray(oldest), this.#ring.subarray(0, oldest)])
  }
}

const NO_SCRUBBER: TextScrubber = {
  text: (value) => value,
  stream: () => ({ push: (piece) => piece, end: () => "" }),
}

/** The beginning of a longer text, without a last piece that may be the first half of a secret. */
export function scrubbedStart(text: string, scrubber: TextScrubber = NO_SCRUBBER): string {
  return scrubber.stream().push(text)
}

/** The text after `omitted`; a secret that starts there is recognised. */
export function scrubbedEnd(omitted: string, text: string, scrubber: TextScrubber = NO_SCRUBBER): string {
  const stream = scrubber.stream()
  stream.push(omitted)
  return stream.push(text) + stream.end()
}

function wholeText(bytes: Buffer): string {
  return bytes.toString("utf8", startOfWhole(bytes, 0))
}

/** Limits a complete text. */
export function boundText(text: string, limit: number = limits.toolOutputBytes - NOTICE_BYTES): string {
  if (text.length * 3 <= limit) return text
  const bytes = Buffer.from(text)
  if (bytes.length <= limit) return text
  const half = Math.floor(limit / 2)
  const head = bytes.subarray(0, endOfWhole(bytes.subarray(0, half)))
  const tail = bytes.subarray(startOfWhole(bytes, bytes.length - half))
  return `${head.toString("utf8")}${notice(bytes.length - head.length - tail.length)}${tail.toString("utf8")}`
}

/** Invalid bytes grow when they are decoded, so the text may have to be cut again. */
function joined(head: string, tail: string, omittedBytes: number, limit: number): string {
  const excess = Buffer.byteLength(head) + Buffer.byteLength(tail) - limit
  if (excess <= 0) return `${head}${notice(omittedBytes)}${tail}`
  const half = Math.floor(limit / 2)
  return `${firstBytes(head, half)}${notice(omittedBytes)}${lastBytes(tail, half)}`
}

function notice(bytes: number): string {
  return `\n[… ${bytes.toLocaleString("en")} bytes left out …]\n`
}

function firstBytes(text: string, limit: number): string {
  const bytes = Buffer.from(text).subarray(0, limit)
  return bytes.subarray(0, endOfWhole(bytes)).toString("utf8")
}

function lastBytes(text: string, limit: number): string {
  const bytes = Buffer.from(text).subarray(-limit)
  return bytes.subarray(startOfWhole(bytes, 0)).toString("utf8")
}

/** End of the last complete character. */
function endOfWhole(bytes: Buffer): number {
  let start = bytes.length - 1
  while (start >= 0 && bytes.length - start < 4 && isContinuation(bytes[start])) start--
  const lead = bytes[start] ?? 0
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1
  return length > bytes.length - start ? Math.max(start, 0) : bytes.length
}

function startOfWhole(bytes: Buffer, from: number): number {
  let start = from
  while (start < bytes.length && start - from < 3 && isContinuation(bytes[start])) start++
  return start
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x80 && byte < 0xc0
}
