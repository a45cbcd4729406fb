// New ids. Session ids are UUIDv7, which sort by creation time; others are short enough to type.
import { randomBytes } from "node:crypto"
import type { SessionId } from "../contract/ids.ts"

export function newSessionId(now: number): SessionId {
  const bytes = randomBytes(16)
  bytes.writeUIntBE(now, 0, 6)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = bytes.toString("hex")
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-")
}

export function newId(): string {
  return randomBytes(9).toString("hex")
}
