// Splits a viewer's bytes into its handshake, one short line, and its messages: lines or sealed frames, by the first byte
// after the handshake. Keeps no more than a frame may have, and reads nothing after a fault.
import { isBlank } from "../../protocols/ipc/codec.ts"
import { frameLimits } from "../../protocols/ipc/limits.ts"
import { isSealedStart } from "../../protocols/ipc/handshake.ts"
import { LineSplitter, type Line } from "../../transports/framing/lines.ts"
import { open, SealedSplitter, type SealedFrame } from "../../transports/framing/sealed-frames.ts"
import type { ByteReader } from "../../transports/line-connection.ts"

export interface FrameListener {
  /** Returns the session's key if the viewer is accepted; its messages follow. */
  onHandshake(text: string): Uint8Array | undefined
  /** The handshake line may be one, but is longer than any valid one. */
  onLongHandshake(): void
  /** Undefined when the message is not UTF-8. */
  onMessage(text: string | undefined): void
  /** From here on the viewer sends sealed frames. */
  onSealed(): void
  onTooLong(): void
  /** Not a handshake, or a frame that was not sealed with the key: nothing more can be read. */
  onInvalid(): void
  onEnd(): void
}

/** The limits count the newline. */
const NEWLINE_BYTES = 1
const OPENING_BRACE = 0x7b

export class FrameReader implements ByteReader {
  readonly #listener: FrameListener
  readonly #handshake: LineSplitter
  #key: Uint8Array | undefined
  #lines: LineSplitter | undefined
  #sealed: SealedSplitter | undefined
  #beginsAsObject = false
  #isStopped = false

  constructor(listener: FrameListener) {
    this.#listener = listener
    const maxBytes = frameLimits.handshakeBytes - NEWLINE_BYTES
    this.#handshake = new LineSplitter(maxBytes, (line) => this.#readHandshake(line), "stop")
  }

  readonly bytes = (chunk: Uint8Array): void => {
    if (this.#isStopped) return
    this.#beginsAsObject ||= chunk[0] === OPENING_BRACE && this.#key === undefined
    const rest = this.#key === undefined ? this.#handshake.push(chunk) : chunk
    if (rest.length > 0 && this.#key !== undefined) this.#readMessages(rest, this.#key)
  }

  readonly end = (): void => {
    if (this.#isStopped) return
    if (this.#key === undefined) this.#handshake.end()
    this.#lines?.end()
    this.#listener.onEnd()
  }

  /** Ignores everything that follows. */
  stop(): void {
    this.#isStopped = true
  }

  #readHandshake(line: Line): void {
    if (line.kind === "line" && isBlank(line.text)) return
    this.#handshake.stop()
    this.#key = line.kind === "line" ? this.#listener.onHandshake(line.text) : undefined
    if (this.#key !== undefined) return
    if (line.kind === "too-long" && this.#beginsAsObject) this.#listener.onLongHandshake()
    this.stop()
    this.#listener.onInvalid()
  }

  #readMessages(chunk: Uint8Array, key: Uint8Array): void {
    if (this.#lines === undefined && this.#sealed === undefined) this.#chooseFraming(chunk[0] ?? 0, key)
    this.#lines?.push(chunk)
    this.#sealed?.push(chunk)
  }

  #chooseFraming(firstByte: number, key: Uint8Array): void {
    const { lineBytes } = frameLimits
    if (isSealedStart(firstByte)) {
      this.#sealed = new SealedSplitter(lineBytes, (frame) => this.#unseal(frame, key))
      this.#listener.onSealed()
    } else this.#lines = new LineSplitter(lineBytes - NEWLINE_BYTES, (line) => this.#readLine(line), "stop")
  }

  #readLine(line: Line): void {
    if (this.#isStopped) return
    if (line.kind !== "too-long") return this.#listener.onMessage(line.kind === "line" ? line.text : undefined)
    this.stop()
    this.#listener.onTooLong()
  }

  #unseal(frame: SealedFrame, key: Uint8Array): void {
    if (this.#isStopped) return
    const plaintext = frame.kind === "frame" ? open(key, frame.bytes) : undefined
    if (plaintext !== undefined) return this.#listener.onMessage(textOf(plaintext))
    this.stop()
    this.#listener.onInvalid()
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
