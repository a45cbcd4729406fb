// Frames that only the holder of a key can read or write: a length of four bytes (big-endian), a nonce of 12, the
// ciphertext, a tag of 16; ChaCha20-Poly1305. Order and repetition are not protected. A length beyond the limit is a
// fault before a byte of the frame is kept; memory grows with the bytes that came, never with the length announced.
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"

const cipher = "chacha20-poly1305"
const headBytes = 4
const nonceBytes = 12
const tagBytes = 16
const nothing = new Uint8Array(0)

/** The whole frame, length included. */
export function seal(key: Uint8Array, plaintext: Uint8Array, nonce: Uint8Array = randomBytes(nonceBytes)): Buffer {
  const sealing = createCipheriv(cipher, key, nonce, { authTagLength: tagBytes })
  const ciphertext = Buffer.concat([sealing.update(plaintext), sealing.final()])
  const head = Buffer.alloc(headBytes)
  head.writeUInt32BE(nonceBytes + ciphertext.length + tagBytes)
  return Buffer.concat([head, nonce, ciphertext, sealing.getAuthTag()])
}

/** What was sealed, or undefined when it was not sealed with this key or has been changed. `frame` has no length. */
export function open(key: Uint8Array, frame: Uint8Array): Buffer | undefined {
  if (frame.length < nonceBytes + tagBytes) return undefined
  const opening = createDecipheriv(cipher, key, frame.subarray(0, nonceBytes), { authTagLength: tagBytes })
  opening.setAuthTag(frame.subarray(frame.length - tagBytes))
  const plaintext = opening.update(frame.subarray(nonceBytes, frame.length - tagBytes))
  try {
    return Buffer.concat([plaintext, opening.final()])
  } catch {
    return undefined
  }
}

export type SealedFrame =
  /** Without its length; it is the receiver's to keep. */
  | { readonly kind: "frame"; readonly bytes: Uint8Array }
  /** Nothing comes after it: where the next frame would begin is not known. */
  | { readonly kind: "too-long"; readonly bytes: number }

export class SealedSplitter {
  readonly #limit: number
  readonly #emit: (frame: SealedFrame) => void
  readonly #head = Buffer.alloc(headBytes)
  #headKept = 0
  /** The beginning of a frame: `#kept` bytes of `#room`, which grows up to the length announced. */
  #room: Uint8Array = nothing
  #kept = 0
  /** Announced for the frame that is being read; undefined while a length is read. */
  #length: number | undefined
  #broken = false

  /** `limit` counts the bytes of a frame without its length. */
  constructor(limit: number, emit: (frame: SealedFrame) => void) {
    this.#limit = limit
    this.#emit = emit
  }

  push(chunk: Uint8Array): void {
    let rest = chunk
    while (rest.length > 0 && !this.#broken)
      rest = this.#length === undefined ? this.#readHead(rest) : this.#readBody(rest, this.#length)
  }

  #readHead(chunk: Uint8Array): Uint8Array {
    const piece = chunk.subarray(0, headBytes - this.#headKept)
    this.#head.set(piece, this.#headKept)
    this.#headKept += piece.length
    if (this.#headKept === headBytes) this.#begin(this.#head.readUInt32BE())
    return chunk.subarray(piece.length)
  }

  #begin(length: number): void {
    this.#headKept = 0
    this.#broken = length > this.#limit
    if (this.#broken) return this.#emit({ kind: "too-long", bytes: length })
    this.#length = length
    if (length === 0) this.#finish()
  }

  #readBody(chunk: Uint8Array, length: number): Uint8Array {
    const piece = chunk.subarray(0, length - this.#kept)
    this.#makeRoom(this.#kept + piece.length, length)
    this.#room.set(piece, this.#kept)
    this.#kept += piece.length
    if (this.#kept === length) this.#finish()
    return chunk.subarray(piece.length)
  }

  #makeRoom(bytes: number, most: number): void {
    if (bytes <= this.#room.length) return
    const larger = new Uint8Array(Math.min(most, Math.max(bytes, 2 * this.#room.length)))
    larger.set(this.#room.subarray(0, this.#kept))
    this.#room = larger
  }

  #finish(): void {
    const bytes = this.#room.subarray(0, this.#kept)
    this.#room = nothing
    this.#kept = 0
    this.#length = undefined
    this.#emit({ kind: "frame", bytes })
  }
}
