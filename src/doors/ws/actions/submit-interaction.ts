// Answers a pending interaction. Any visit may answer, on any socket; an invalid answer leaves it pending.
import { readValues } from "../../../contract/interactions.ts"
import type { ActionInput } from "../../../protocols/ws/actions.ts"
import { errors, type WsError } from "../../../protocols/ws/errors.ts"
import { interactionInvalid } from "../../../protocols/ws/server-events.ts"
import type { Connection } from "../connection.ts"
import { joinVisit } from "./join-visit.ts"

export async function submitInteraction(
  connection: Connection,
  input: ActionInput<"submit_interaction">,
): Promise<WsError | void> {
  const { requestId, sessionId, declined, values } = input
  const joined = await joinVisit(connection, sessionId)
  const pending = joined?.conversation.interaction
  if (joined === undefined || pending === undefined) return errors.noPendingInteraction(sessionId)
  const { interactionId, kind, spec } = pending
  if (input.interactionId !== interactionId || (input.kind !== undefined && input.kind !== kind))
    return errors.interactionMismatch
  if (!declined && values === undefined) return errors.valuesMissing
  connection.hold()
  const sent = await joined.handle.send({ type: "answer", interactionId, ...(declined ? { declined } : { values }) })
  if (sent.kind === "refused" && sent.refusal.code === "interaction.invalid")
    return connection.send(interactionInvalid(requestId, { interactionId, kind }, sent.refusal.errors, connection.now))
  if (sent.kind === "refused") return errors.noPendingInteraction(sessionId)
  if (declined) return connection.respond(requestId, "Interaction declined", { sessionId, interactionId, declined })
  const canonical = readValues(kind, spec, values ?? {})
  const accepted = canonical.kind === "ok" ? canonical.value : (values ?? {})
  connection.respond(requestId, "Interaction submitted", { sessionId, interactionId, kind, values: accepted })
}
