// The messages of a conversation as the server has them, newest first, and what they say about a turn whose end was not
// heard. Pure: whether a message is stored is never guessed; where it cannot be told, that is what is said.
import type { JsonValue } from "../../contract/values.ts"
import type { Fields } from "../../protocols/ws/fields.ts"
import { BadAnswer } from "./faults.ts"
import { membersOf } from "./read-frame.ts"

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

export function readPage(data: Fields): MessagePage {
  const rows = data.array("messages")
  if (rows === undefined) throw new BadAnswer("get_conversation_messages", "messages")
  const nextCursor = data.text("nextCursor")
  const hasMore = data.boolean("hasMore") === true && nextCursor !== undefined
  return { messages: rows.flatMap(message), hasMore, nextCursor: hasMore ? nextCursor : undefined }
}

function message(row: JsonValue): readonly Message[] {
  const members = membersOf(row)
  const id = members?.text("id")
  const direction = members?.text("direction")
  if (members === undefined || id === undefined || (direction !== "inbound" && direction !== "outbound")) return []
  const text = members.object("content")?.text("text") ?? ""
  return [{ id, direction, text, createdAt: members.text("createdAt") ?? "" }]
}

export type Fate =
  /** It came to its end. */
  | { readonly kind: "replied"; readonly reply: Message }
  /** The message is there, and no reply to it. */
  | { readonly kind: "stored" }
  | { readonly kind: "absent" }
  | { readonly kind: "unknown" }

export interface SoughtTurn {
  /** Undefined for a turn that somebody else began. */
  readonly text: string | undefined
  /** The server's clock before the message was sent. */
  readonly sentAfter: number | undefined
  readonly isAccepted: boolean
}

export function fateOf({ messages, hasMore }: MessagePage, sought: SoughtTurn): Fate {
  if (sought.text === undefined) return fateOfNewest(messages)
  const since = sought.sentAfter
  if (since === undefined) return { kind: "unknown" }
  const isNew = ({ createdAt }: Message) => !(Date.parse(createdAt) < since) // without a date it may be
  const newer = messages.filter(isNew)
  if (hasMore && newer.length === messages.length) return { kind: "unknown" } // it may stand further down
  const mine = ownMessage(newer, sought.text, sought.isAccepted)
  if (mine !== undefined) return replyTo(messages, mine)
  return newer.some(isInbound) ? { kind: "unknown" } : { kind: "absent" }
}

/** Oldest first of those that say the same. A secret in it is not stored as it was sent, so the only one may be it too. */
function ownMessage(newer: readonly Message[], text: string, isAccepted: boolean): Message | undefined {
  const inbound = newer.filter(isInbound)
  const same = inbound.findLast((row) => row.text === text)
  return same ?? (isAccepted && inbound.length === 1 ? inbound[0] : undefined)
}

/** The last words of the agent before anybody else speaks. */
function replyTo(messages: readonly Message[], mine: Message): Fate {
  const after = messages.slice(0, messages.indexOf(mine)).toReversed()
  const end = after.findIndex(isInbound)
  const reply = (end === -1 ? after : after.slice(0, end)).at(-1)
  return reply === undefined ? { kind: "stored" } : { kind: "replied", reply }
}

/** A turn without a reply leaves its question as the newest message. */
function fateOfNewest([newest]: readonly Message[]): Fate {
  if (newest === undefined) return { kind: "unknown" }
  return isInbound(newest) ? { kind: "stored" } : { kind: "replied", reply: newest }
}

function isInbound({ direction }: Message): boolean {
  return direction === "inbound"
}
