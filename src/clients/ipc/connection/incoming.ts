// Splits the bytes of an agent into plain lines, and after the first sealed frame into sealed frames only. The first
// byte of a sealed frame belongs to its length and cannot begin a line.
import { isSealedStart } from "../../../protocols/ipc/handshake.ts"
import { LineSplitter } from "../../../transports/framing/lines.ts"
import { SealedSplitter } from "../../../transports/framing/sealed-frames.ts"

export type IncomingData =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "sealed"; readonly frame: Uint8Array }
  /** Ignored; what follows is readable. */
  | { readonly kind: "noise"; readonly what: string }
  /** Nothing after it is readable. */
  | { readonly kind: "broken"; readonly what: string }

const LF = 0x0a

export class Incoming {
  readonly #lines: LineSplitter
  readonly #sealed: SealedSplitter
  #isSealed = false
  #atStart = true

  constructor(limit: number, emit: (data: IncomingData) => void) {
    this.#lines = new LineSplitter(limit, (line) => {
      if (line.kind === "line") emit({ kind: "text", text: line.text })
      else emit({ kind: "noise", what: line.kind === "too-long" ? `a line of ${line.bytes} bytes` : "no UTF-8" })
    })
    this.#sealed = new SealedSplitter(limit, (sealed) => {
      if (sealed.kind === "frame") emit({ kind: "sealed", frame: sealed.bytes })
      else emit({ kind: "broken", what: `a sealed frame of ${sealed.bytes} bytes` })
    })
  }

  push(chunk: Uint8Array): void {
    let rest = chunk
    while (rest.length > 0) {
      this.#isSealed ||= this.#atStart && isSealedStart(rest[0] ?? LF)
      if (this.#isSealed) return this.#sealed.push(rest)
      const end = rest.indexOf(LF)
      this.#atStart = end !== -1
      this.#lines.push(end === -1 ? rest : rest.subarray(0, end + 1))
      rest = end === -1 ? rest.subarray(rest.length) : rest.subarray(end + 1)
    }
  }

  end(): void {
    if (!this.#isSealed) this.#lines.end()
  }
}
