// Interactions: a tool call asks the visitor for values.
import { z } from "zod"
import { command, durable, refusal } from "../../../contract/define.ts"
import { CallId, InteractionId } from "../../../contract/ids.ts"
import { By, FieldError, InteractionKind, JsonValue } from "../../../contract/values.ts"

const InteractionRequested = durable("interaction.requested", 1, {
  interactionId: InteractionId,
  callId: CallId,
  kind: InteractionKind,
  spec: JsonValue,
  reason: z.string(),
  expiresAt: z.int().optional(),
})
const InteractionAnswered = durable("interaction.answered", 1, {
  interactionId: InteractionId,
  outcome: z.enum(["submitted", "declined", "expired", "void"]),
  values: JsonValue.optional(),
  by: By.optional(),
})

/** `declined` takes precedence over `values`. */
const Answer = command("answer", {
  interactionId: InteractionId,
  values: JsonValue.optional(),
  declined: z.boolean().optional(),
})

export const interactionsContract = {
  events: [InteractionRequested, InteractionAnswered],
  commands: [Answer],
  refusals: [
    refusal("interaction.unknown", { interactionId: InteractionId }),
    refusal("interaction.invalid", { interactionId: InteractionId, errors: z.array(FieldError).min(1) }),
  ],
  deltas: [],
} as const
