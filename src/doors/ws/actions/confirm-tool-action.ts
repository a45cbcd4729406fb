// Answers to what a turn asks: a confirmation, a card. They may come from any visit of the conversation, on any
// socket; the first valid one counts, and a wrong one leaves the question open.
import type { ApprovalId } from "../../../contract/ids.ts"
import { readValues } from "../../../contract/interactions.ts"
import type { ClientAction } from "../../../protocols/ws/codec.ts"
import { interactionInvalid } from "../../../protocols/ws/server-events.ts"
import { requiredWords, shortened } from "./action-fields.ts"
import type { Connection, Joined } from "../connection.ts"

export async function confirm(connection: Connection, action: ClientAction): Promise<void> {
  const { requestId, members } = action
  const visitId = requiredWords(connection, action, "sessionId")
  if (visitId === undefined) return
  const approved = members.flag("approved")
  if (approved === undefined) return connection.fail(requestId, "VALIDATION_ERROR", "'approved' must be a boolean")
  const joined = await joinedBy(connection, visitId)
  const approvalId = joined === undefined ? undefined : shownApproval(connection, joined)
  if (joined === undefined || approvalId === undefined) return nothingToConfirm(connection, requestId, visitId)
  await connection.holding(async () => {
    const sent = await joined.handle.send({ type: "approve", approvalId, approved })
    if (sent.kind === "refused") return nothingToConfirm(connection, requestId, visitId)
    joined.confirmed = approvalId
    const message = approved ? "Tool action approved" : "Tool action rejected"
    connection.answer(requestId, message, { sessionId: visitId, approved })
  })
}

/** A card that has only just taken the place of one that was settled on another socket was not read on this one yet. */
function shownApproval({ deps, now }: Connection, { conversation, confirmed }: Joined): ApprovalId | undefined {
  const { replaced, approval } = conversation.view
  const isUnread = replaced !== undefined && replaced.approvalId !== confirmed
  return isUnread && now - replaced.at < deps.limits.replacedMs ? undefined : approval
}

export async function submit(connection: Connection, action: ClientAction): Promise<void> {
  const { requestId, members } = action
  if (requestId === undefined) return connection.fail(undefined, "VALIDATION_ERROR", "'requestId' is required")
  const visitId = requiredWords(connection, action, "sessionId")
  if (visitId === undefined) return
  const joined = await joinedBy(connection, visitId)
  const open = joined?.conversation.view.interaction
  if (joined === undefined || open === undefined) return nothingAsked(connection, requestId, visitId)
  const kind = members.text("kind")
  if (members.text("interactionId") !== open.id || (kind !== undefined && kind !== open.kind))
    return connection.fail(requestId, "INTERACTION_MISMATCH", "this is not what is asked for now")
  const declined = members.flag("declined") === true
  const values = members.get("values")
  if (!declined && values === undefined)
    return connection.fail(requestId, "VALIDATION_ERROR", "'values' or 'declined' is required")
  await connection.holding(async () => {
    const answer = declined ? { declined } : { values }
    const sent = await joined.handle.send({ type: "answer", interactionId: open.id, ...answer })
    if (sent.kind === "refused" && sent.refusal.code === "interaction.invalid")
      return connection.say(interactionInvalid(requestId, asWire(open), sent.refusal.errors, connection.now))
    if (sent.kind === "refused") return nothingAsked(connection, requestId, visitId)
    const told = { sessionId: visitId, interactionId: open.id }
    if (declined) return connection.answer(requestId, "Interaction declined", { ...told, declined })
    const canonical = readValues(open.kind, open.spec, values ?? {})
    const taken = canonical.kind === "ok" ? canonical.value : (values ?? {})
    connection.answer(requestId, "Interaction submitted", { ...told, kind: open.kind, values: taken })
  })
}

async function joinedBy(connection: Connection, visitId: string): Promise<Joined | undefined> {
  const visit = await connection.registry.visit(visitId)
  const joined = visit === undefined ? undefined : await connection.join(visit.sessionId)
  return joined === undefined || "code" in joined ? undefined : joined
}

function nothingToConfirm(connection: Connection, requestId: string | undefined, visitId: string): void {
  const message = `no tool action is awaiting confirmation for session '${shortened(visitId)}'`
  connection.fail(requestId, "NO_PENDING_CONFIRMATION", message)
}

function nothingAsked(connection: Connection, requestId: string, visitId: string): void {
  const message = `no interaction is pending for session '${shortened(visitId)}'`
  connection.fail(requestId, "NO_PENDING_INTERACTION", message)
}

function asWire({ id, kind }: { readonly id: string; readonly kind: "identity_intake" | "choices" }) {
  return { interactionId: id, kind }
}
