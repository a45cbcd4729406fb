// Splits a stream of bytes into lines at LF and nothing else. A line that is too long is counted while it is read and
// thrown away without being kept; the rest of the stream goes on, unless the splitter is to stop there. CRs at the end of
// a line do not count. Bytes that are not UTF-8 make a line of their own kind. No domain words here: what a line means
// is for others.
export type Line =
  | { readonly kind: "line"; readonly text: string }
  | { readonly kind: "too-long"; readonly bytes: number }
  | { readonly kind: "not-utf8" }

/** What becomes of a line that is too long: told when it is over, or at once, and then nothing more is read. */
export type AtTooLong = "goes on" | "stops"

const lf = 0x0a
const cr = 0x0d
/** Room for the beginning of a line that comes in pieces; it doubles when more is needed. */
const firstRoom = 1024
const nothing = new Uint8Array(0)

export class LineSplitter {
  readonly #limit: number
  readonly #emit: (line: Line) => void
  readonly #atTooLong: AtTooLong
  /** The beginning of a line whose end has not come yet: `#kept` bytes of `#room`, never more than the limit. */
  #room: Uint8Array = nothing
  #kept = 0
  /** All bytes of the line so far, kept or not. */
  #bytes = 0
  /** A byte beyond the limit was something else than a CR. */
  #spilled = false
  #isStopped = false

  /** `limit` counts the bytes of a line without its end. */
  constructor(limit: number, emit: (line: Line) => void, atTooLong: AtTooLong = "goes on") {
    this.#limit = limit
    this.#emit = emit
    this.#atTooLong = atTooLong
  }

  /** Gives back what was not split: nothing, unless a line made somebody call `stop`. */
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

  /** Splits nothing more: what follows is for others. */
  stop(): void {
    this.#isStopped = true
    this.#room = nothing
  }

  #finish(rest: Uint8Array): void {
    if (this.#bytes === 0 && rest.length <= this.#limit) return this.#emit(decode(withoutCr(rest))) // the usual case
    this.#keep(rest)
    if (this.#isStopped) return
    const line: Line = this.#spilled
      ? { kind: "too-long", bytes: this.#bytes }
      : decode(withoutCr(this.#room.subarray(0, this.#kept)))
    this.#room = nothing
    this.#kept = this.#bytes = 0
    this.#spilled = false
    this.#emit(line)
  }

  #keep(piece: Uint8Array): void {
    this.#bytes += piece.length
    if (this.#spilled) return
    const fitting = piece.subarray(0, this.#limit - this.#kept)
    this.#makeRoom(this.#kept + fitting.length)
    this.#room.set(fitting, this.#kept)
    this.#kept += fitting.length
    this.#spilled = piece.subarray(fitting.length).some((byte) => byte !== cr)
    if (!this.#spilled) return
    this.#room = nothing
    if (this.#atTooLong === "goes on") return
    this.stop()
    this.#emit({ kind: "too-long", bytes: this.#bytes })
  }

  #makeRoom(bytes: number): void {
    if (bytes <= this.#room.length) return
    const larger = new Uint8Array(Math.min(this.#limit, Math.max(bytes, 2 * this.#room.length, firstRoom)))
    larger.set(this.#room.subarray(0, this.#kept))
    this.#room = larger
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
