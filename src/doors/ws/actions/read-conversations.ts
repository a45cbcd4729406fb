// Reads and renames conversations.
import type { ActionInput } from "../../../protocols/ws/actions.ts"
import { errors, type WsError } from "../../../protocols/ws/errors.ts"
import type { ConversationLine } from "../../../protocols/ws/frames.ts"
import { titleOf } from "../../../protocols/ws/message-rows.ts"
import type { Connection } from "../connection.ts"
import type { ConversationStatus, Visit } from "../conversation-access.ts"

export async function getSession(
  connection: Connection,
  { sessionId }: ActionInput<"get_session">,
  requestId: string | undefined,
): Promise<WsError | void> {
  const visit = await connection.access.visit(sessionId)
  if (visit === undefined) return errors.sessionNotFound(sessionId)
  const conversation = await connection.access.conversation(visit.sessionId)
  const status = conversation?.status.life === "ended" ? "ended" : "active"
  connection.respond(requestId, "Session", { ...visitFields(connection, visit), threadId: visit.sessionId, status })
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

export async function listMessages(
  connection: Connection,
  { sessionId, limit, cursor }: ActionInput<"get_conversation_messages">,
  requestId: string | undefined,
): Promise<WsError | void> {
  const visit = await connection.access.visit(sessionId)
  if (visit === undefined) return errors.sessionNotFound(sessionId)
  const page = await connection.access.messages.page(visit.sessionId, limit, cursor)
  if (page === undefined) return errors.cursorUnknown
  connection.respond(requestId, "ConversationMessages", page)
}

export async function listConversations(
  connection: Connection,
  { limit }: ActionInput<"list_conversations">,
  requestId: string | undefined,
): Promise<void> {
  const conversations: ConversationLine[] = []
  for (const conversation of await connection.access.conversations(limit))
    conversations.push(await conversationLine(connection, conversation))
  connection.respond(requestId, "Conversations", { conversations })
}

async function conversationLine({ access }: Connection, conversation: ConversationStatus): Promise<ConversationLine> {
  const { sessionId, updatedAt, status } = conversation
  const messageCount = status.messages?.count ?? (await access.messages.count(sessionId))
  const title = status.name ?? titleOf(status.title ?? "")
  return { conversationId: sessionId, title, updatedAt: new Date(updatedAt).toISOString(), messageCount }
}

export async function renameConversation(
  connection: Connection,
  { conversationId, title }: ActionInput<"rename_conversation">,
  requestId: string | undefined,
): Promise<WsError | void> {
  const conversation = await connection.access.conversation(conversationId)
  if (conversation === undefined) return errors.conversationNotFound(conversationId)
  const opened = await connection.deps.port.open(conversation.sessionId, connection.by)
  const sent = opened.kind === "opened" ? await opened.handle.send({ type: "rename", name: title }) : opened
  if (sent.kind === "refused") return errors.titleNotStored
  connection.respond(requestId, "Conversation renamed", { conversationId, title })
}
