// Digests: of the exact call that an approval is for, and of prompts, by which retries are recognised.
import { canonical } from "../contract/canonical-json.ts"
import { createHmac, hash } from "node:crypto"
import type { EventOf } from "../contract/events.ts"
import type { CallId, SessionId } from "../contract/ids.ts"
import type { JsonValue } from "../contract/values.ts"

/** Keyed, so that the arguments cannot be guessed from the log by trial. */
export function callDigest(
  key: Uint8Array,
  sessionId: SessionId,
  callId: CallId,
  tool: string,
  input: JsonValue,
  /** Of the tool, where it has one. */
  revision?: string,
): string {
  return createHmac("sha256", key)
    .update(canonical([sessionId, callId, tool, input, ...(revision === undefined ? [] : [revision])]))
    .digest("hex")
}

/** What identifies a prompt besides its id. */
export type PromptContent = Pick<EventOf<"prompt.admitted">, "text" | "attachments" | "files" | "model" | "skill">

export function promptDigest({ text, attachments = [], files = [], model, skill }: PromptContent): string {
  return sha256(JSON.stringify([text, attachments, files, model, skill])).slice(0, 32)
}

/** Many names are remembered, and each may be long. */
export function referenceDigest(reference: string | undefined): string | undefined {
  return reference === undefined ? undefined : sha256(reference).slice(0, 32)
}

function sha256(text: string): string {
  return hash("sha256", text)
}
