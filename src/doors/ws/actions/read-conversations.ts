// Reads and renames conversations.
import { errors } from "../../../protocols/ws/errors.ts"
import type { ConversationLine } from "../../../protocols/ws/frames.ts"
import { titleOf } from "../../../protocols/ws/message-rows.ts"
import type { ActionHandler, Connection } from "../connection.ts"
import type { SessionLine } from "../../../contract/views/status.ts"
import type { Visit } from "../conversation-access.ts"

export const getSession: ActionHandler<"get_session"> = async (connection, { sessionId }, requestId) => {
  const visit = await connection.access.visit(sessionId)
  if (visit === undefined) return errors.sessionNotFound(sessionId)
  const conversation = await connection.access.conversation(visit.sessionId)
  const status = conversation?.status.life === "ended" ? "ended" : "active"
  return connection.respond(requestId, "Session", {
    ...visitFields(connection, visit),
    threadId: visit.sessionId,
    status,
  })
}

/** The six fields of a created session. */
export function visitFields({ deps }: Connection, { visitId, sessionId, agentId, participants }: Visit) {
  return {
    sessionId: visitId,
    conversationId: sessionId,
    agentId,
    agentName: deps.agentName(agentId),
    userParticipantId: participants.user,
    agentParticipantId: participants.agent,
  }
}

export const listMessages: ActionHandler<"get_conversation_messages"> = async (connection, input, requestId) => {
  const { sessionId, limit, cursor } = input
  const visit = await connection.access.visit(sessionId)
  if (visit === undefined) return errors.sessionNotFound(sessionId)
  const page = await connection.access.messages.page(visit.sessionId, limit, cursor)
  if (page === undefined) return errors.cursorUnknown
  return connection.respond(requestId, "ConversationMessages", page)
}

export const listConversations: ActionHandler<"list_conversations"> = async (connection, { limit }, requestId) => {
  const conversations: ConversationLine[] = []
  for (const conversation of await connection.access.conversations(limit))
    conversations.push(await conversationLine(connection, conversation))
  return connection.respond(requestId, "Conversations", { conversations })
}

async function conversationLine({ access }: Connection, conversation: SessionLine): Promise<ConversationLine> {
  const { sessionId, updatedAt, status } = conversation
  const messageCount = status.messages?.count ?? (await access.messages.count(sessionId))
  const title = status.name ?? titleOf(status.title ?? "")
  return { conversationId: sessionId, title, updatedAt: new Date(updatedAt).toISOString(), messageCount }
}

export const renameConversation: ActionHandler<"rename_conversation"> = async (connection, input, requestId) => {
  const { conversationId, title } = input
  const conversation = await connection.access.conversation(conversationId)
  if (conversation === undefined) return errors.conversationNotFound(conversationId)
  const opened = await connection.deps.port.open(conversation.sessionId, connection.by)
  const sent = opened.kind === "opened" ? await opened.handle.send({ type: "rename", name: title }) : opened
  if (sent.kind === "refused") return errors.titleNotStored
  return connection.respond(requestId, "Conversation renamed", { conversationId, title })
}
