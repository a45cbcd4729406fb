// Answers the confirmation that the conversation shows. Any visit may answer, on any socket; the first valid answer
// counts.
import type { ApprovalId } from "../../../contract/ids.ts"
import { errors } from "../../../protocols/ws/errors.ts"
import type { ActionHandler, Connection, Joined } from "../connection.ts"

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
function shownApproval({ deps, now }: Connection, { conversation, confirmed }: Joined): ApprovalId | undefined {
  const { replaced, approval } = conversation
  const isUnread = replaced !== undefined && replaced.approvalId !== confirmed
  return isUnread && now - replaced.at < deps.limits.replacedMs ? undefined : approval
}
