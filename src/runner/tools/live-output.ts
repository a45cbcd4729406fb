// What a running call prints, for clients: merged a few times a second, bounded, and scrubbed also across chunk borders.
// Of output that comes faster than that, the newest part is shown. The result repeats the output, so nothing is flushed.
import { addOutput, lastLines, newestPart, type OutputPiece } from "../../contract/rules/live-output.ts"
import { limits } from "../../contract/limits.ts"
import { ScrubbedText } from "../../tools/shell/scrubbed-text.ts"
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
  readonly #sources = new Map<string, ScrubbedText>()
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

  #source(name: string): ScrubbedText {
    const known = this.#sources.get(name)
    if (known !== undefined) return known
    const fresh = new ScrubbedText(this.#scrubber, limits.liveOutputLength)
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

function messageOf(tail: OutputPiece): string {
  const complete = tail.text.slice(0, Math.max(tail.text.lastIndexOf("\n"), tail.text.lastIndexOf("\r"), 0))
  const [line] = lastLines({ ...tail, text: complete }, 1)
  const text = line ?? lastLines(tail, 1)[0] ?? ""
  return text.slice(0, MAX_MESSAGE_LENGTH).toWellFormed()
}
