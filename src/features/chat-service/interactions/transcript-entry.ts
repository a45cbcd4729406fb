// The entry of an interaction in the transcript, and what the details of a tool result say to staff and client.
import type { EventOf } from "../../../contract/events.ts"
import { memberIn, textIn } from "../../../contract/json-object.ts"
import type { JsonValue } from "../../../contract/values.ts"
import type { InteractionEntry } from "../../../contract/views/transcript.ts"

interface ResultDetails {
  /** Why the agent asks for a person. */
  readonly escalation?: string
  /** An instruction to the visitor's client. */
  readonly directive?: JsonValue
}

export function interactionEntry(event: EventOf<"interaction.requested">): InteractionEntry {
  const { interactionId: id, kind, spec, reason, expiresAt } = event
  return { id, kind, spec, reason, expiresAt, outcome: undefined, values: undefined }
}

export function resultDetails({ details }: EventOf<"tool.ended">): ResultDetails {
  const escalation = textIn(details, "escalation")
  const directive = memberIn(details, "directive")
  return { ...(escalation === undefined ? {} : { escalation }), ...(directive === undefined ? {} : { directive }) }
}
