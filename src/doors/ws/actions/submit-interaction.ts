// Answers a pending interaction. Any visit may answer, on any socket; an invalid answer leaves it pending.
import { readValues } from "../../../contract/rules/interactions.ts"
import { errors } from "../../../protocols/ws/errors.ts"
import { notice } from "../../../protocols/ws/server-events.ts"
import type { ActionHandler } from "../connection.ts"

export const submitInteraction: ActionHandler<"submit_interaction"> = async (connection, input) => {
  const { requestId, sessionId, declined, values } = input
  const joined = await connection.joinVisit(sessionId)
  const pending = joined?.conversation.interaction
  if (joined === undefined || pending === undefined) return errors.noInteraction(sessionId)
  const { interactionId, kind, spec } = pending
  if (input.interactionId !== interactionId || (input.kind !== undefined && input.kind !== kind))
    return errors.interactionMismatch
  if (!declined && values === undefined) return errors.valuesMissing
  connection.hold()
  const sent = await joined.handle.send({ type: "answer", interactionId, ...(declined ? { declined } : { values }) })
  if (sent.kind === "refused" && sent.refusal.code === "interaction.invalid") {
    const problem = { interactionId, kind, errors: sent.refusal.errors, message: "Some fields need attention." }
    return connection.send(notice("interaction_invalid", requestId, problem, connection.now))
  }
  if (sent.kind === "refused") return errors.noInteraction(sessionId)
  if (declined) return connection.respond(requestId, "Interaction declined", { sessionId, interactionId, declined })
  const canonical = readValues(kind, spec, values ?? {})
  const accepted = canonical.kind === "ok" ? canonical.value : (values ?? {})
  return connection.respond(requestId, "Interaction submitted", { sessionId, interactionId, kind, values: accepted })
}
