// Splits a byte stream into `Content-Length` frames; header lines end with CRLF or LF. Stray output between frames is
// skipped up to a limit and reported once. A fault is final, because the next frame cannot be found any more.
// Kept instead of vscode-jsonrpc's reader, which limits neither header nor body and fails on stray output.
export type ContentFrame =
  | { readonly kind: "body"; readonly text: string }
  | { readonly kind: "stray"; readonly text: string }
  | { readonly kind: "fault"; readonly problem: string }

const maxHeadLineBytes = 1024
const usualBodyBytes = 4 * 1024 * 1024
/** Bytes of stray output between two frames. Past it the stream is a fault. */
const maxStrayBytes = 8 * 1024
const lf = 0x0a
const nothing = new Uint8Array(0)

export function contentFrame(body: string): string {
  return `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

export class ContentLengthSplitter {
  readonly #emit: (frame: ContentFrame) => void
  readonly #maxBodyBytes: number
  #line: Uint8Array = nothing
  /** The length in the header that is being read. */
  #length: number | undefined
  #body: Uint8Array[] = []
  /** Missing bytes of the body; undefined while a header is read. */
  #missing: number | undefined
  #strayBytes = 0
  #hasReportedStray = false
  #broken = false

  constructor(emit: (frame: ContentFrame) => void, maxBodyBytes = usualBodyBytes) {
    this.#emit = emit
    this.#maxBodyBytes = maxBodyBytes
  }

  push(chunk: Uint8Array): void {
    let rest = chunk
    while (rest.length > 0 && !this.#broken) {
      rest = this.#missing === undefined ? this.#readHead(rest) : this.#readBody(rest, this.#missing)
    }
  }

  /** The stream has ended: a fault in the middle of a frame. */
  end(): void {
    if (this.#broken) return
    if (this.#line.length > 0 || this.#length !== undefined) this.#fail("the stream ended in the middle of a frame")
    this.#broken = true
  }

  #readHead(chunk: Uint8Array): Uint8Array {
    const end = chunk.indexOf(lf)
    const piece = end === -1 ? chunk : chunk.subarray(0, end)
    if (this.#line.length + piece.length > maxHeadLineBytes) {
      this.#fail(`a head line has more than ${maxHeadLineBytes} bytes`)
      return nothing
    }
    const line = this.#line.length === 0 ? piece : Buffer.concat([this.#line, piece])
    if (end === -1) {
      this.#line = Uint8Array.from(line)
      return nothing
    }
    this.#line = nothing
    this.#takeLine(line)
    return chunk.subarray(end + 1)
  }

  #takeLine(bytes: Uint8Array): void {
    const line = decode(bytes)?.replace(/\r$/, "")
    if (line === undefined) return this.#fail("a head line is not UTF-8")
    if (line === "" && this.#length !== undefined) return this.#beginBody(this.#length)
    const [name, value] = splitOnce(line)
    if (value !== undefined && name.trim().toLowerCase() === "content-length") return this.#announce(value.trim())
    this.#skip(line, bytes.length + 1, value !== undefined)
  }

  #announce(value: string): void {
    const length = /^\d+$/.test(value) ? Number(value) : NaN
    if (Number.isNaN(length)) return this.#fail(`a length is not a number: ${value.slice(0, 40)}`)
    if (length > this.#maxBodyBytes) return this.#fail(`a body of ${length} bytes is more than ${this.#maxBodyBytes}`)
    this.#length = length
  }

  #skip(line: string, bytes: number, isHead: boolean): void {
    this.#strayBytes += bytes
    if (this.#strayBytes > maxStrayBytes) return this.#fail(`${maxStrayBytes} bytes came without a frame`)
    if (isHead || this.#hasReportedStray) return
    this.#hasReportedStray = true
    this.#emit({ kind: "stray", text: line })
  }

  #beginBody(length: number): void {
    this.#missing = length
    if (length === 0) this.#finishBody()
  }

  #readBody(chunk: Uint8Array, missing: number): Uint8Array {
    this.#body.push(chunk.subarray(0, missing))
    this.#missing = missing - Math.min(missing, chunk.length)
    if (this.#missing === 0) this.#finishBody()
    return chunk.subarray(missing)
  }

  #finishBody(): void {
    const [only = nothing, ...more] = this.#body
    const text = decode(more.length === 0 ? only : Buffer.concat(this.#body))
    this.#body = []
    this.#missing = this.#length = undefined
    this.#strayBytes = 0
    if (text === undefined) return this.#fail("a body is not UTF-8")
    this.#emit({ kind: "body", text })
  }

  #fail(problem: string): void {
    this.#broken = true
    this.#body = []
    this.#emit({ kind: "fault", problem })
  }
}

function splitOnce(line: string): readonly [string, string?] {
  const colon = line.indexOf(":")
  return colon === -1 ? [line] : [line.slice(0, colon), line.slice(colon + 1)]
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

function decode(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}
