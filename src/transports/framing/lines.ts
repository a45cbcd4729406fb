// Splits a byte stream into lines at LF only. A line that is too long is counted, not kept; then the stream continues or
// stops, as the caller chooses. CRs at the end of a line are dropped. A line that is not UTF-8 is reported as such.
export type Line =
  | { readonly kind: "line"; readonly text: string }
  | { readonly kind: "too-long"; readonly bytes: number }
  | { readonly kind: "not-utf8" }

/** After a line that is too long: report it at its end and continue, or report it at once and stop. */
export type OnTooLong = "continue" | "stop"

const lf = 0x0a
const cr = 0x0d
/** First size of the buffer for a line that comes in parts; it doubles when needed. */
const FIRST_BUFFER_BYTES = 1024
const nothing = new Uint8Array(0)

export class LineSplitter {
  readonly #limit: number
  readonly #emit: (line: Line) => void
  readonly #onTooLong: OnTooLong
  /** The beginning of an incomplete line: `#kept` bytes of `#buffer`, never more than the limit. */
  #buffer: Uint8Array = nothing
  #kept = 0
  /** All bytes of the line so far, kept or not. */
  #bytes = 0
  /** A byte beyond the limit was not a CR. */
  #spilled = false
  #isStopped = false

  /** `limit` counts the bytes of a line without its end. */
  constructor(limit: number, emit: (line: Line) => void, onTooLong: OnTooLong = "continue") {
    this.#limit = limit
    this.#emit = emit
    this.#onTooLong = onTooLong
  }

  /** Returns the bytes that were not split: none, unless the callback of a line called `stop`. */
  push(chunk: Uint8Array): Uint8Array {
    let from = 0
    for (let end = chunk.indexOf(lf); end !== -1 && !this.#isStopped; end = chunk.indexOf(lf, from)) {
      this.#finish(chunk.subarray(from, end))
      from = end + 1
    }
    if (this.#isStopped) return chunk.subarray(from)
    if (from < chunk.length) this.#keep(chunk.subarray(from))
    return nothing
  }

  /** A last line without an end counts as one. */
  end(): void {
    if (this.#bytes > 0 && !this.#isStopped) this.#finish(nothing)
  }

  /** Splits nothing more. */
  stop(): void {
    this.#isStopped = true
    this.#buffer = nothing
  }

  #finish(rest: Uint8Array): void {
    if (this.#bytes === 0 && rest.length <= this.#limit) return this.#emit(decode(withoutCr(rest))) // the usual case
    this.#keep(rest)
    if (this.#isStopped) return
    const line: Line = this.#spilled
      ? { kind: "too-long", bytes: this.#bytes }
      : decode(withoutCr(this.#buffer.subarray(0, this.#kept)))
    this.#buffer = nothing
    this.#kept = this.#bytes = 0
    this.#spilled = false
    this.#emit(line)
  }

  #keep(piece: Uint8Array): void {
    this.#bytes += piece.length
    if (this.#spilled) return
    const fitting = piece.subarray(0, this.#limit - this.#kept)
    this.#growBuffer(this.#kept + fitting.length)
    this.#buffer.set(fitting, this.#kept)
    this.#kept += fitting.length
    this.#spilled = piece.subarray(fitting.length).some((byte) => byte !== cr)
    if (!this.#spilled) return
    this.#buffer = nothing
    if (this.#onTooLong === "continue") return
    this.stop()
    this.#emit({ kind: "too-long", bytes: this.#bytes })
  }

  #growBuffer(bytes: number): void {
    if (bytes <= this.#buffer.length) return
    const larger = new Uint8Array(Math.min(this.#limit, Math.max(bytes, 2 * this.#buffer.length, FIRST_BUFFER_BYTES)))
    larger.set(this.#buffer.subarray(0, this.#kept))
    this.#buffer = larger
  }
}

function withoutCr(line: Uint8Array): Uint8Array {
  let end = line.length
  while (end > 0 && line[end - 1] === cr) end -= 1
  return line.subarray(0, end)
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

function decode(line: Uint8Array): Line {
  try {
    return { kind: "line", text: decoder.decode(line) }
  } catch {
    return { kind: "not-utf8" }
  }
}
