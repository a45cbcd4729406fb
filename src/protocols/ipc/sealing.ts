// Sealed frames instead of lines. The handshake does not announce them: a frame begins with its length, whose first
// byte is 0 or 1 within the limits, and no line begins with such a byte.
import { createHash } from "node:crypto"

export function sealingKey(token: string): Buffer {
  return createHash("sha256").update("brainwires-ipc-v1:").update(token).digest()
}

/** Whether a viewer whose first byte after the handshake is this one sends sealed frames. */
export function isSealedStart(firstByte: number): boolean {
  return firstByte <= 1
}
