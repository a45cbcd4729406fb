// Sealed messages of one direction of a link: sequence number (6 bytes, big-endian), ciphertext, tag (16 bytes);
// AES-256-GCM. The sequence number is the nonce, which is safe because each direction of each link has its own key.
import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from "node:crypto"

const cipher = "aes-256-gcm"
const nonceBytes = 12
const sequenceBytes = 6
const tagBytes = 16

export const SEAL_BYTES = sequenceBytes + tagBytes

export class Sealer {
  readonly #key: KeyObject // bytes would be imported again for every message
  readonly #nonce = Buffer.alloc(nonceBytes)
  #next = 0

  constructor(key: Uint8Array) {
    this.#key = createSecretKey(key)
  }

  /** The message with the next sequence number. */
  seal(plaintext: Uint8Array): Buffer {
    this.#nonce.writeUIntBE(this.#next, nonceBytes - sequenceBytes, sequenceBytes)
    this.#next += 1
    const sealing = createCipheriv(cipher, this.#key, this.#nonce)
    const ciphertext = sealing.update(plaintext)
    sealing.final()
    const message = Buffer.allocUnsafe(SEAL_BYTES + ciphertext.length)
    this.#nonce.copy(message, 0, nonceBytes - sequenceBytes)
    ciphertext.copy(message, sequenceBytes)
    sealing.getAuthTag().copy(message, sequenceBytes + ciphertext.length)
    return message
  }
}

export class Opener {
  readonly #key: KeyObject
  readonly #nonce = Buffer.alloc(nonceBytes)

  constructor(key: Uint8Array) {
    this.#key = createSecretKey(key)
  }

  /** The plaintext; undefined unless the peer has sealed exactly this message. Its order is for the caller to check. */
  open(message: Uint8Array): Buffer | undefined {
    if (message.length < SEAL_BYTES) return undefined
    const tagAt = message.length - tagBytes
    this.#nonce.set(message.subarray(0, sequenceBytes), nonceBytes - sequenceBytes)
    const opening = createDecipheriv(cipher, this.#key, this.#nonce, { authTagLength: tagBytes })
    opening.setAuthTag(message.subarray(tagAt))
    const plaintext = opening.update(message.subarray(sequenceBytes, tagAt))
    try {
      opening.final()
    } catch {
      return undefined
    }
    return plaintext
  }

  /** Of the message that was opened last. */
  get sequence(): number {
    return this.#nonce.readUIntBE(nonceBytes - sequenceBytes, sequenceBytes)
  }
}
