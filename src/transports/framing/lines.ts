// Splits a stream of bytes into lines at LF and nothing else. A line that is too long is counted while it is read and
// thrown away without being kept; the rest of the stream goes on. Bytes that are not UTF-8 make a line of their own
// kind. No domain words here: what a line means is for others.
export type Line =
  | { readonly kind: "line"; readonly text: string }
  | { readonly kind: "too-long"; readonly bytes: number }
  | { readonly kind: "not-utf8" }

const lf = 0x0a
const cr = 0x0d

export class LineSplitter {
  readonly #limit: number
  readonly #emit: (line: Line) => void
  #pieces: Uint8Array[] = []
  #bytes = 0

  /** `limit` counts the bytes of a line without its end. */
  constructor(limit: number, emit: (line: Line) => void) {
    this.#limit = limit
    this.#emit = emit
  }

  push(chunk: Uint8Array): void {
    let from = 0
    for (let end = chunk.indexOf(lf); end !== -1; end = chunk.indexOf(lf, from)) {
      this.#take(chunk.subarray(from, end))
      this.#finish()
      from = end + 1
    }
    this.#take(chunk.subarray(from))
  }

  /** A last line without an end counts as one. */
  end(): void {
    if (this.#bytes > 0) this.#finish()
  }

  #take(piece: Uint8Array): void {
    this.#bytes += piece.length
    // One byte more than the limit is kept, since it may be the CR of a line end.
    if (this.#bytes > this.#limit + 1) this.#pieces = []
    else if (piece.length > 0) this.#pieces.push(piece.slice())
  }

  #finish(): void {
    const bytes = this.#bytes
    const line = withoutCr(Buffer.concat(this.#pieces))
    this.#pieces = []
    this.#bytes = 0
    if (bytes > this.#limit + 1 || line.length > this.#limit) this.#emit({ kind: "too-long", bytes })
    else this.#emit(decode(line))
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
