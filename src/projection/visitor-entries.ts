// What a call in the transcript says of a visitor: what they were asked for, and what a tool said beside its result.
import type { EventOf } from "../contract/events.ts"
import { memberIn, textIn } from "../contract/json-object.ts"
import type { JsonValue } from "../contract/values.ts"
import type { InteractionEntry } from "../contract/views/transcript.ts"

interface SaidBeside {
  /** Why a person of the house is wanted. */
  readonly escalation?: string
  /** What the visitor's client is to do. */
  readonly directive?: JsonValue
}

export function interactionEntry(event: EventOf<"interaction.requested">): InteractionEntry {
  const { interactionId: id, kind, spec, reason, expiresAt } = event
  return { id, kind, spec, reason, expiresAt, outcome: undefined, values: undefined }
}

/** What a tool said to the house or to the client, beside what it said to the model. */
export function saidBeside({ details }: EventOf<"tool.ended">): SaidBeside {
  const escalation = textIn(details, "escalation")
  const directive = memberIn(details, "directive")
  return { ...(escalation === undefined ? {} : { escalation }), ...(directive === undefined ? {} : { directive }) }
}
