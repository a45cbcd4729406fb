// What a running call prints, for clients: merged a few times a second, bounded, and scrubbed also across chunk borders.
// Of output that comes faster than that, the newest part is shown. The result repeats the output, so nothing is flushed.
import { StringDecoder } from "node:string_decoder"
import { addOutput, lastLines, newestPart, type OutputPiece } from "../../contract/rules/live-output.ts"
import { limits } from "../../contract/limits.ts"
import type { TextScrubber } from "../../tools/tool.ts"

export interface LivePiece {
  /** The newest line. */
  readonly message: string
  readonly output: OutputPiece
}

/** Characters of a line that are published as a message. */
const MAX_MESSAGE_LENGTH = 200

export class LiveOutput {
  readonly #scrubber: TextScrubber
  readonly #publish: (piece: LivePiece) => void
  /** One for each stream of the command: two interleaved ones would hide a secret from the scrubber. */
  readonly #sources = new Map<string, SourceText>()
  #position = 0
  #tail: OutputPiece | undefined
  #publishedAt = -Infinity
  #timer: NodeJS.Timeout | undefined
  #isStopped = false

  constructor(scrubber: TextScrubber, publish: (piece: LivePiece) => void) {
    this.#scrubber = scrubber
    this.#publish = publish
  }

  /** For a client that joins: the newest part. */
  get soFar(): LivePiece | undefined {
    return this.#tail === undefined ? undefined : { message: messageOf(this.#tail), output: this.#tail }
  }

  push(chunk: Uint8Array, source: string): void {
    if (this.#isStopped) return
    this.#source(source).push(chunk)
    if (this.#timer !== undefined) return
    const waitMs = this.#publishedAt + limits.liveOutputMs - performance.now()
    if (waitMs <= 0) this.#publishNew()
    else this.#timer = setTimeout(() => this.#publishNew(), waitMs).unref()
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
    this.#sources.clear()
  }

  #source(name: string): SourceText {
    const known = this.#sources.get(name)
    if (known !== undefined) return known
    const fresh = new SourceText(this.#scrubber)
    this.#sources.set(name, fresh)
    return fresh
  }

  #publishNew(): void {
    this.#timer = undefined
    this.#publishedAt = performance.now()
    for (const source of this.#sources.values()) {
      const { skipped, text } = source.take()
      const output = newestPart({ from: this.#position + skipped, text })
      if (text === "") continue
      this.#position = output.from + output.text.length
      this.#tail = addOutput(this.#tail, output)
      this.#publish({ message: messageOf(this.#tail), output })
    }
  }
}

/** Bytes after a gap that the scrubber sees and that are not shown; secrets are shorter. */
const MARGIN_BYTES = 16 * 1024
const MAX_PENDING_BYTES = limits.liveOutputLength + MARGIN_BYTES

/** One stream of bytes as scrubbed text. What arrives between two calls of `take` is bounded: the newest part stays. */
class SourceText {
  readonly #scrubber: TextScrubber
  #stream: ReturnType<TextScrubber["stream"]>
  #decoder = new StringDecoder("utf8")
  #pending: Uint8Array[] = []
  #pendingBytes = 0
  #skippedBytes = 0

  constructor(scrubber: TextScrubber) {
    this.#scrubber = scrubber
    this.#stream = scrubber.stream()
  }

  push(chunk: Uint8Array): void {
    this.#pending.push(chunk)
    this.#pendingBytes += chunk.length
    for (let [first] = this.#pending; first !== undefined; [first] = this.#pending) {
      if (this.#pendingBytes - first.length < MAX_PENDING_BYTES) return
      this.#pending.shift()
      this.#pendingBytes -= first.length
      this.#skippedBytes += first.length
    }
  }

  take(): { readonly skipped: number; readonly text: string } {
    const bytes = Buffer.concat(this.#pending)
    const skippedBytes = this.#skippedBytes
    this.#pending = []
    this.#pendingBytes = 0
    this.#skippedBytes = 0
    if (skippedBytes === 0) return { skipped: 0, text: this.#stream.push(this.#decoder.write(bytes)) }
    return { skipped: skippedBytes + MARGIN_BYTES, text: this.#afterGap(bytes) }
  }

  /** A secret that begins in the margin is recognised: the margin is scrubbed and not shown. */
  #afterGap(bytes: Buffer): string {
    this.#stream = this.#scrubber.stream()
    this.#decoder = new StringDecoder("utf8")
    this.#stream.push(this.#decoder.write(bytes.subarray(0, MARGIN_BYTES)))
    return this.#stream.push(this.#decoder.write(bytes.subarray(MARGIN_BYTES)))
  }
}

function messageOf(tail: OutputPiece): string {
  const complete = tail.text.slice(0, Math.max(tail.text.lastIndexOf("\n"), tail.text.lastIndexOf("\r"), 0))
  const [line] = lastLines({ ...tail, text: complete }, 1)
  const text = line ?? lastLines(tail, 1)[0] ?? ""
  return text.slice(0, MAX_MESSAGE_LENGTH).toWellFormed()
}
