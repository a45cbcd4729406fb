// One stream of bytes as scrubbed text, taken piece by piece. What arrives between two pieces is bounded: the newest
// part stays. A secret is recognised also where it spans two pieces or begins in a part that was dropped.
import { StringDecoder } from "node:string_decoder"
import type { TextScrubber } from "../tool.ts"

/** Bytes after a gap that the scrubber sees and that are not shown; secrets are shorter. */
const MARGIN_BYTES = 16 * 1024

export interface TakenText {
  /** Bytes before it that were dropped. */
  readonly skipped: number
  readonly text: string
}

export class ScrubbedText {
  readonly #scrubber: TextScrubber
  readonly #maxPending: number
  #stream: ReturnType<TextScrubber["stream"]>
  #decoder = new StringDecoder("utf8")
  #pending: Uint8Array[] = []
  #pendingBytes = 0
  #skippedBytes = 0

  constructor(scrubber: TextScrubber, maxBytes: number) {
    this.#scrubber = scrubber
    this.#maxPending = maxBytes + MARGIN_BYTES
    this.#stream = scrubber.stream()
  }

  push(chunk: Uint8Array): void {
    this.#pending.push(chunk)
    this.#pendingBytes += chunk.length
    for (let [first] = this.#pending; first !== undefined; [first] = this.#pending) {
      if (this.#pendingBytes - first.length < this.#maxPending) return
      this.#pending.shift()
      this.#pendingBytes -= first.length
      this.#skippedBytes += first.length
    }
  }

  take(): TakenText {
    const bytes = Buffer.concat(this.#pending)
    const skippedBytes = this.#skippedBytes
    this.#pending = []
    this.#pendingBytes = 0
    this.#skippedBytes = 0
    if (skippedBytes === 0) return { skipped: 0, text: this.#stream.push(this.#decoder.write(bytes)) }
    return { skipped: skippedBytes + MARGIN_BYTES, text: this.#afterGap(bytes) }
  }

  /** The last piece, with what was held back because it could have become a secret. */
  end(): TakenText {
    const { skipped, text } = this.take()
    return { skipped, text: text + this.#stream.push(this.#decoder.end()) + this.#stream.end() }
  }

  /** A secret that begins in the margin is recognised: the margin is scrubbed and not shown. */
  #afterGap(bytes: Buffer): string {
    this.#stream = this.#scrubber.stream()
    this.#decoder = new StringDecoder("utf8")
    this.#stream.push(this.#decoder.write(bytes.subarray(0, MARGIN_BYTES)))
    return this.#stream.push(this.#decoder.write(bytes.subarray(MARGIN_BYTES)))
  }
}
