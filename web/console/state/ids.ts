// Ids that this client makes. `crypto.randomUUID` is missing where a page is not served securely, such as over a LAN.
import type { PromptId, SessionId } from "../../../src/contract/ids.ts"

export function newPromptId(): PromptId {
  return `prm_${hex(crypto.getRandomValues(new Uint8Array(16)))}`
}

/** A UUIDv7: it begins with the time. */
export function newSessionId(now = Date.now()): SessionId {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const time = now.toString(16).padStart(12, "0")
  const rest = hex(bytes)
  const variant = (8 + ((bytes[8] ?? 0) & 3)).toString(16)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${rest.slice(13, 16)}-${variant}${rest.slice(17, 20)}-${rest.slice(20, 32)}`
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
}
