// What a viewer's bytes say: first its handshake, one short line; then messages, as lines or sealed, whichever its first
// byte after the handshake announces. No more is kept than a frame may have, and after a fault nothing is read.
import { isBlank, maxHandshakeBytes, maxLineBytes } from "../../protocols/ipc/codec.ts"
import { beginsSealed } from "../../protocols/ipc/sealing.ts"
import { LineSplitter, type Line } from "../../transports/framing/lines.ts"
import { open, SealedSplitter, type SealedFrame } from "../../transports/framing/sealed-frames.ts"
import type { ByteReader } from "../../transports/line-connection.ts"

export interface Hearing {
  /** The key of the session when the viewer is accepted: what follows is its messages. */
  handshake(text: string): Uint8Array | undefined
  /** A handshake it may be, but none that could be right. */
  longHandshake(): void
  /** The text of a message; undefined when it is not UTF-8. */
  message(text: string | undefined): void
  /** From here on the viewer speaks in sealed frames. */
  sealed(): void
  tooLong(): void
  /** It cannot go on: no handshake, or a frame that was not sealed with the key. */
  nonsense(): void
  /** The viewer says nothing more. */
  silence(): void
}

/** The limits count the newline. */
const newlineBytes = 1
const openingBrace = 0x7b

export class Reading implements ByteReader {
  readonly #hearing: Hearing
  readonly #first: LineSplitter
  #key: Uint8Array | undefined
  #lines: LineSplitter | undefined
  #sealed: SealedSplitter | undefined
  #beginsAsObject = false
  #isStopped = false

  constructor(hearing: Hearing) {
    this.#hearing = hearing
    this.#first = new LineSplitter(maxHandshakeBytes - newlineBytes, (line) => this.#greet(line), "stops")
  }

  readonly bytes = (chunk: Uint8Array): void => {
    if (this.#isStopped) return
    this.#beginsAsObject ||= chunk[0] === openingBrace && this.#key === undefined
    const rest = this.#key === undefined ? this.#first.push(chunk) : chunk
    if (rest.length > 0 && this.#key !== undefined) this.#messages(rest, this.#key)
  }

  readonly end = (): void => {
    if (this.#isStopped) return
    if (this.#key === undefined) this.#first.end()
    this.#lines?.end()
    this.#hearing.silence()
  }

  /** What still comes is thrown away. */
  stop(): void {
    this.#isStopped = true
  }

  #greet(line: Line): void {
    if (line.kind === "line" && isBlank(line.text)) return
    this.#first.stop()
    this.#key = line.kind === "line" ? this.#hearing.handshake(line.text) : undefined
    if (this.#key !== undefined) return
    if (line.kind === "too-long" && this.#beginsAsObject) this.#hearing.longHandshake()
    this.stop()
    this.#hearing.nonsense()
  }

  #messages(chunk: Uint8Array, key: Uint8Array): void {
    if (this.#lines === undefined && this.#sealed === undefined) this.#begin(chunk[0] ?? 0, key)
    this.#lines?.push(chunk)
    this.#sealed?.push(chunk)
  }

  #begin(firstByte: number, key: Uint8Array): void {
    if (beginsSealed(firstByte)) {
      this.#sealed = new SealedSplitter(maxLineBytes, (frame) => this.#unseal(frame, key))
      this.#hearing.sealed()
    } else this.#lines = new LineSplitter(maxLineBytes - newlineBytes, (line) => this.#hear(line), "stops")
  }

  #hear(line: Line): void {
    if (this.#isStopped) return
    if (line.kind === "too-long") return this.#tooLong()
    this.#hearing.message(line.kind === "line" ? line.text : undefined)
  }

  #unseal(frame: SealedFrame, key: Uint8Array): void {
    if (this.#isStopped) return
    const plaintext = frame.kind === "frame" ? open(key, frame.bytes) : undefined
    if (plaintext !== undefined) return this.#hearing.message(textOf(plaintext))
    this.stop()
    this.#hearing.nonsense()
  }

  #tooLong(): void {
    this.stop()
    this.#hearing.tooLong()
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}
