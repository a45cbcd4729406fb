// Whether two texts are the same, in a time that does not tell where they differ.
import { createHash, timingSafeEqual } from "node:crypto"

export function isSameText(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other))
}

function digest(text: string): Uint8Array {
  return createHash("sha256").update(text).digest()
}
