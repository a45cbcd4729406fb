// Sealed frames instead of lines: nothing in the handshake announces them, a viewer simply begins. Its first byte tells:
// a frame begins with its length, and no length that is allowed begins with anything but 0 or 1; no line begins so.
import { createHash } from "node:crypto"

export function sealingKey(token: string): Buffer {
  return createHash("sha256").update("brainwires-ipc-v1:").update(token).digest()
}

/** Whether a viewer whose first byte after the handshake is this one speaks in sealed frames. */
export function beginsSealed(firstByte: number): boolean {
  return firstByte <= 1
}
