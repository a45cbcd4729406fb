// The hash chain: every event carries SHA-256 over the hash before it (as hex) and its own stored text, so one altered,
// missing or exchanged event is found by whoever reads. Only what is stored is hashed; nothing is serialised again.
import { hash } from "node:crypto"

/** What stands in the place of "the hash before" for a session's first event. */
export function firstHash(sessionId: string): string {
  return hash("sha256", `turnhouse:${sessionId}`)
}

export function nextHash(previous: string, stored: string): string {
  return hash("sha256", previous + stored)
}
