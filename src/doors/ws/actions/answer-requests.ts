// Answers what the conversation asks the visitor: a confirmation, an interaction or a one-time code. Any visit may
// answer, on any socket; the first valid answer counts, and an invalid one leaves the request pending.
import type { ApprovalId } from "../../../contract/ids.ts"
import { errors } from "../../../protocols/ws/errors.ts"
import type { ActionHandler, Connection, Joined } from "../connection.ts"
import { readValues } from "../../../contract/rules/interactions.ts"
import { notice } from "../../../protocols/ws/server-events.ts"
import { describeRefusal } from "../../../contract/text/describe-refusal.ts"
import type { Refusal } from "../../../contract/refusals.ts"
import type { ServerEventOf } from "../../../protocols/ws/frames.ts"

export const confirmToolAction: ActionHandler<"confirm_tool_action"> = async (connection, input, requestId) => {
  const { sessionId, approved } = input
  const joined = await connection.joinVisit(sessionId)
  const approvalId = joined === undefined ? undefined : shownApproval(connection, joined)
  if (joined === undefined || approvalId === undefined) return errors.noConfirmation(sessionId)
  connection.hold()
  const sent = await joined.handle.send({ type: "approve", approvalId, approved })
  if (sent.kind === "refused") return errors.noConfirmation(sessionId)
  joined.confirmed = approvalId
  const message = approved ? "Tool action approved" : "Tool action rejected"
  return connection.respond(requestId, message, { sessionId, approved })
}

/** None while the shown card has just replaced one that another socket settled: this user has not read it yet. */
function shownApproval({ deps, now }: Connection, joined: Joined): ApprovalId | undefined {
  const { replaced, approval } = joined.conversation
  const isKnown = joined.firstShown === approval || replaced?.approvalId === joined.confirmed
  const isUnread = replaced !== undefined && !isKnown
  return isUnread && now - replaced.at < deps.limits.replacedMs ? undefined : approval
}

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

/** The result is sent under the id of the frame, before what a correct code continues. */
export const verifyCode: ActionHandler<"verify_otp"> = async (connection, { requestId, sessionId, code }) => {
  const visit = await connection.access.visit(sessionId)
  if (visit === undefined) return errors.sessionNotFound(sessionId)
  const joined = await connection.join(visit.sessionId)
  if ("code" in joined) return errors.codeNotChecked
  connection.hold()
  const sent = await joined.handle.send({ type: "verify", visitId: visit.visitId, code })
  if (sent.kind === "accepted") return connection.send(notice("otp_verified", requestId, verified, connection.now))
  const problem = codeProblem(sent.refusal)
  if (problem === undefined) return errors.codeNotChecked
  return connection.send(notice("otp_invalid", requestId, problem, connection.now))
}

const verified = { message: "Identity verified successfully." }
const codeErrors = { "wrong-code": "INVALID_CODE", "too-many-attempts": "MAX_ATTEMPTS", expired: "EXPIRED" } as const

/** Undefined if the code is not the cause. */
function codeProblem(refusal: Refusal): ServerEventOf<"otp_invalid">["data"]["data"] | undefined {
  if (refusal.code === "verification.none")
    return { error: "NOT_FOUND", attemptsRemaining: 0, message: "No code was sent." }
  if (refusal.code !== "verification.failed") return undefined
  const { why, attemptsLeft: attemptsRemaining } = refusal
  return { error: codeErrors[why], attemptsRemaining, message: describeRefusal(refusal) }
}
