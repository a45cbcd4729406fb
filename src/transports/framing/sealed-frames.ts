// Encrypted frames: length (4 bytes, big-endian), nonce (12), ciphertext, tag (16); ChaCha20-Poly1305. Order and repetition
// are not protected. A length past the limit is a fault before a byte of the frame is kept; memory grows with the bytes
// received, never with the announced length.
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

/** The plaintext; undefined when the frame was sealed with another key or changed. `frame` has no length. */
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
  /** Without its length. The receiver may keep it. */
  | { readonly kind: "frame"; readonly bytes: Uint8Array }
  /** The last item: where the next frame begins is not known. */
  | { readonly kind: "too-long"; readonly bytes: number }

export class SealedSplitter {
  readonly #limit: number
  readonly #emit: (frame: SealedFrame) => void
  readonly #head = Buffer.alloc(headBytes)
  #headKept = 0
  /** The beginning of a frame: `#kept` bytes of `#buffer`, which grows up to the announced length. */
  #buffer: Uint8Array = nothing
  #kept = 0
  /** Of the frame that is being read; undefined while a length is read. */
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
    this.#buffer.set(piece, this.#kept)
    this.#kept += piece.length
    if (this.#kept === length) this.#finish()
    return chunk.subarray(piece.length)
  }

  #makeRoom(bytes: number, maxBytes: number): void {
    if (bytes <= this.#buffer.length) return
    const larger = new Uint8Array(Math.min(maxBytes, Math.max(bytes, 2 * this.#buffer.length)))
    larger.set(this.#buffer.subarray(0, this.#kept))
    this.#buffer = larger
  }

  #finish(): void {
    const bytes = this.#buffer.subarray(0, this.#kept)
    this.#buffer = nothing
    this.#kept = 0
    this.#length = undefined
    this.#emit({ kind: "frame", bytes })
  }
}
