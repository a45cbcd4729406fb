// The messages and conversations of a server, and what the messages say about a turn whose end was not received. Pure.
// Never guesses whether a message is stored: if that cannot be determined, the outcome is `unknown`.
import type { JsonValue } from "../../contract/values.ts"
import type { Fields } from "../../protocols/ws/fields.ts"
import { fieldsOf } from "./connection/read-frame.ts"
import { BadAnswer } from "./faults.ts"

export interface Message {
  readonly id: string
  /** `inbound`: from a visitor; `outbound`: from the agent. */
  readonly direction: "inbound" | "outbound"
  readonly text: string
  /** ISO 8601. */
  readonly createdAt: string
}

export interface MessagePage {
  /** Newest first. */
  readonly messages: readonly Message[]
  readonly hasMore: boolean
  /** For the next page, which is older. */
  readonly nextCursor: string | undefined
}

export interface ConversationLine {
  readonly conversationId: string
  readonly title: string
  /** ISO 8601. */
  readonly updatedAt: string
  readonly messageCount: number
}

export function readPage(data: Fields): MessagePage {
  const messages = entries(data, "get_conversation_messages", "messages").flatMap(readMessage)
  const nextCursor = data.text("nextCursor")
  const hasMore = data.boolean("hasMore") === true && nextCursor !== undefined
  return { messages, hasMore, nextCursor: hasMore ? nextCursor : undefined }
}

export function readConversations(data: Fields): readonly ConversationLine[] {
  return entries(data, "list_conversations", "conversations").flatMap(readConversation)
}

function entries(data: Fields, action: string, name: string): readonly Fields[] {
  const list: readonly JsonValue[] | undefined = data.array(name)
  if (list === undefined) throw new BadAnswer(action, name)
  return list.flatMap((entry) => fieldsOf(entry) ?? [])
}

function readMessage(row: Fields): readonly Message[] {
  const [id, direction] = [row.text("id"), row.text("direction")]
  if (id === undefined || (direction !== "inbound" && direction !== "outbound")) return []
  const text = row.object("content")?.text("text") ?? ""
  return [{ id, direction, text, createdAt: row.text("createdAt") ?? "" }]
}

function readConversation(row: Fields): readonly ConversationLine[] {
  const conversationId = row.text("conversationId")
  if (conversationId === undefined) return []
  const [title = "", updatedAt = ""] = [row.text("title"), row.text("updatedAt")]
  return [{ conversationId, title, updatedAt, messageCount: row.number("messageCount") ?? 0 }]
}

export type TurnOutcome =
  | { readonly kind: "replied"; readonly reply: Message }
  /** The message is stored and has no reply. */
  | { readonly kind: "stored" }
  | { readonly kind: "absent" }
  | { readonly kind: "unknown" }

export interface TurnQuery {
  /** Undefined for a turn that another client started. */
  readonly text: string | undefined
  /** The server's clock before the message was sent. */
  readonly sentAfter: number | undefined
  readonly isAccepted: boolean
}

export function findOutcome({ messages, hasMore }: MessagePage, query: TurnQuery): TurnOutcome {
  if (query.text === undefined) return outcomeOfNewest(messages)
  const since = query.sentAfter
  if (since === undefined) return { kind: "unknown" }
  const isNew = ({ createdAt }: Message) => !(Date.parse(createdAt) < since) // a message without a date may be new
  const newer = messages.filter(isNew)
  if (hasMore && newer.length === messages.length) return { kind: "unknown" } // it may be on the next page
  const own = findOwnMessage(newer, query.text, query.isAccepted)
  if (own !== undefined) return outcomeOf(messages, own)
  return newer.some(isInbound) ? { kind: "unknown" } : { kind: "absent" }
}

/** The oldest with the same text. A secret is stored redacted, so the only new message may be it as well. */
function findOwnMessage(newer: readonly Message[], text: string, isAccepted: boolean): Message | undefined {
  const inbound = newer.filter(isInbound)
  const same = inbound.findLast((message) => message.text === text)
  return same ?? (isAccepted && inbound.length === 1 ? inbound[0] : undefined)
}

/** The reply is the agent's last message before the next inbound one. */
function outcomeOf(messages: readonly Message[], own: Message): TurnOutcome {
  const after = messages.slice(0, messages.indexOf(own)).toReversed()
  const end = after.findIndex(isInbound)
  const reply = (end === -1 ? after : after.slice(0, end)).at(-1)
  return reply === undefined ? { kind: "stored" } : { kind: "replied", reply }
}

/** A turn without a reply leaves its inbound message as the newest one. */
function outcomeOfNewest([newest]: readonly Message[]): TurnOutcome {
  if (newest === undefined) return { kind: "unknown" }
  return isInbound(newest) ? { kind: "stored" } : { kind: "replied", reply: newest }
}

function isInbound({ direction }: Message): boolean {
  return direction === "inbound"
}
