// Fingerprints. An approval is for exactly these arguments of exactly this call; a prompt sent again is the same one
// only if it says the same.
import { type JsonObject, isJsonObject } from "../contract/json-object.ts"
import { createHmac, hash } from "node:crypto"
import type { EventOf } from "../contract/events.ts"
import type { CallId, SessionId } from "../contract/ids.ts"
import type { JsonValue } from "../contract/values.ts"

/** Keyed, so that the log does not give away by trial what the arguments were. */
export function callDigest(
  key: Uint8Array,
  sessionId: SessionId,
  callId: CallId,
  tool: string,
  input: JsonValue,
): string {
  return createHmac("sha256", key)
    .update(canonical([sessionId, callId, tool, input]))
    .digest("hex")
}

/** What identifies a prompt besides its id. */
export type PromptWords = Pick<EventOf<"prompt.admitted">, "text" | "attachments" | "files" | "model" | "skill">

export function promptDigest({ text, attachments = [], files = [], model, skill }: PromptWords): string {
  return sha256(JSON.stringify([text, attachments, files, model, skill])).slice(0, 32)
}

/** Names that senders give may be long, and are remembered in numbers. */
export function referenceDigest(reference: string | undefined): string | undefined {
  return reference === undefined ? undefined : sha256(reference).slice(0, 32)
}

/** JSON with sorted keys: two spellings of the same value are the same text. */
export function canonical(value: JsonValue): string {
  return JSON.stringify(value, (_key, member: JsonValue) => (isJsonObject(member) ? sorted(member) : member))
}

function sorted(value: JsonObject): JsonValue {
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

function sha256(text: string): string {
  return hash("sha256", text)
}
