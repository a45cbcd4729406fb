// Compares two strings in a time that does not depend on where they differ.
import { createHash, timingSafeEqual } from "node:crypto"

export function equalInConstantTime(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other))
}

function digest(text: string): Uint8Array {
  return createHash("sha256").update(text).digest()
}
