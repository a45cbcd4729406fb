// What a call in the transcript says of a visitor: what they were asked for, and what a tool said beside its result.
import type { EventOf } from "../contract/events.ts"
import type { InteractionId } from "../contract/ids.ts"
import { memberIn, textIn } from "../contract/json-object.ts"
import type { InteractionKind, JsonValue } from "../contract/values.ts"

export interface InteractionEntry {
  readonly id: InteractionId
  readonly kind: InteractionKind
  readonly spec: JsonValue
  readonly reason: string
  readonly expiresAt: number | undefined
  readonly outcome: EventOf<"interaction.answered">["outcome"] | undefined
  readonly values: JsonValue | undefined
}

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
