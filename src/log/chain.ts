// The hash chain: the hash of an event is SHA-256 over the previous hash (as hex) and the event's stored text, so that
// an altered, missing or replaced event is detected. Stored bytes are hashed as they are, never serialised again.
import { hash } from "node:crypto"

/** The "previous hash" of a session's first event. */
export function firstHash(sessionId: string): string {
  return hash("sha256", `turnhouse:${sessionId}`)
}

export function nextHash(previous: string, stored: string): string {
  return hash("sha256", previous + stored)
}
