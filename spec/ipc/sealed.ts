// Sealed frames, made and read here with a cipher only: length, nonce, ciphertext, tag.
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto"

const [lengthBytes, nonceBytes, tagBytes] = [4, 12, 16]
const cipher = "chacha20-poly1305"

export function keyOf(token: string): Buffer {
  return createHash("sha256").update(`brainwires-ipc-v1:${token}`).digest()
}

export function sealed(key: Uint8Array, text: string, nonce: Uint8Array = randomBytes(nonceBytes)): Buffer {
  const made = createCipheriv(cipher, key, nonce, { authTagLength: tagBytes })
  const body = Buffer.concat([nonce, made.update(text), made.final(), made.getAuthTag()])
  const length = Buffer.alloc(lengthBytes)
  length.writeUInt32BE(body.length)
  return Buffer.concat([length, body])
}

/** Lines first, then sealed frames. An incomplete frame is left out. */
export function unsealedFrames(key: Uint8Array, bytes: Buffer) {
  const lines: string[] = []
  const frames: string[] = []
  let rest = bytes
  while (rest[0] === 0x7b && rest.includes(10)) {
    lines.push(rest.toString("utf8", 0, rest.indexOf(10)))
    rest = rest.subarray(rest.indexOf(10) + 1)
  }
  while (rest.length > lengthBytes && rest.length >= lengthBytes + rest.readUInt32BE()) {
    const end = lengthBytes + rest.readUInt32BE()
    frames.push(unsealed(key, rest.subarray(lengthBytes, end)))
    rest = rest.subarray(end)
  }
  return { lines, frames }
}

function unsealed(key: Uint8Array, body: Buffer): string {
  const read = createDecipheriv(cipher, key, body.subarray(0, nonceBytes), { authTagLength: tagBytes })
  read.setAuthTag(body.subarray(-tagBytes))
  return Buffer.concat([read.update(body.subarray(nonceBytes, -tagBytes)), read.final()]).toString("utf8")
}
