// What can be read of visits and conversations.
import { givenTitle, titleOf } from "../../../protocols/ws/message-rows.ts"
import type { ConversationLine } from "../../../protocols/ws/frames.ts"
import type { ClientAction } from "../../../protocols/ws/codec.ts"
import { requiredWords, shortened, visitOf } from "./action-fields.ts"
import type { Connection } from "../connection.ts"
import type { Line, Visit } from "../conversation-access.ts"

const usualLimit = 50
const mostRows = 100
const mostConversations = 200

export async function getSession(connection: Connection, action: ClientAction): Promise<void> {
  const visit = await visitOf(connection, action)
  if (visit === undefined) return
  const line = await connection.registry.line(visit.sessionId)
  const status = line?.status.life === "ended" ? "ended" : "active"
  connection.answer(action.requestId, "Session", { ...created(connection, visit), threadId: visit.sessionId, status })
}

/** The six members of an opened visit. */
export function created({ deps }: Connection, { visitId, sessionId, agentId, participants }: Visit) {
  return {
    sessionId: visitId,
    conversationId: sessionId,
    agentId,
    agentName: deps.agentName(agentId),
    userParticipantId: participants.user,
    agentParticipantId: participants.agent,
  }
}

export async function listMessages(connection: Connection, action: ClientAction): Promise<void> {
  const visit = await visitOf(connection, action)
  if (visit === undefined) return
  const limit = Math.min(limitIn(action), mostRows)
  const page = await connection.registry.messages.page(visit.sessionId, limit, action.members.text("cursor"))
  if (page === undefined) return connection.fail(action.requestId, "VALIDATION_ERROR", "the cursor is not known")
  connection.answer(action.requestId, "ConversationMessages", page)
}

export async function listConversations(connection: Connection, action: ClientAction): Promise<void> {
  const lines = await connection.registry.lines(Math.min(limitIn(action), mostConversations))
  const conversations: ConversationLine[] = []
  for (const line of lines) conversations.push(await conversationLine(connection, line))
  connection.answer(action.requestId, "Conversations", { conversations })
}

async function conversationLine({ registry }: Connection, line: Line): Promise<ConversationLine> {
  const { sessionId, updatedAt, status } = line
  const messageCount = status.messages?.count ?? (await registry.messages.count(sessionId))
  const title = status.name ?? titleOf(status.title ?? "")
  return { conversationId: sessionId, title, updatedAt: new Date(updatedAt).toISOString(), messageCount }
}

export async function renameConversation(connection: Connection, action: ClientAction): Promise<void> {
  const { requestId } = action
  const conversationId = requiredWords(connection, action, "conversationId")
  if (conversationId === undefined) return
  const title = givenTitle(action.members.text("title") ?? "")
  if (title === "") return connection.fail(requestId, "VALIDATION_ERROR", "'title' is required")
  const line = await connection.registry.line(conversationId)
  if (line === undefined)
    return connection.fail(requestId, "CONVERSATION_NOT_FOUND", `conversation '${shortened(conversationId)}' not found`)
  const opened = await connection.deps.port.open(line.sessionId, connection.by)
  const sent = opened.kind === "opened" ? await opened.handle.send({ type: "rename", name: title }) : opened
  if (sent.kind === "refused") return connection.fail(requestId, "STORAGE_ERROR", "the title could not be stored")
  connection.answer(requestId, "Conversation renamed", { conversationId, title })
}

function limitIn({ members }: ClientAction): number {
  const limit = members.number("limit")
  return limit === undefined || !(limit >= 1) ? usualLimit : Math.floor(limit)
}
