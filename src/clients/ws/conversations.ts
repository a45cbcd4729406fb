// The list of conversations, as servers send it.
import type { JsonValue } from "../../contract/values.ts"
import type { Fields } from "../../protocols/ws/fields.ts"
import { BadAnswer } from "./faults.ts"
import { membersOf } from "./read-frame.ts"

export interface ConversationLine {
  readonly conversationId: string
  readonly title: string
  /** ISO 8601. */
  readonly updatedAt: string
  readonly messageCount: number
}

export function readConversations(data: Fields): readonly ConversationLine[] {
  const lines = data.array("conversations")
  if (lines === undefined) throw new BadAnswer("list_conversations", "conversations")
  return lines.flatMap(conversation)
}

function conversation(line: JsonValue): readonly ConversationLine[] {
  const members = membersOf(line)
  const conversationId = members?.text("conversationId")
  if (members === undefined || conversationId === undefined) return []
  const [title = "", updatedAt = ""] = [members.text("title"), members.text("updatedAt")]
  return [{ conversationId, title, updatedAt, messageCount: members.number("messageCount") ?? 0 }]
}
