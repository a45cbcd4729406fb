// The messages of a conversation as rows, newest first, and its title. A row is a visitor's message or the reply of a
// completed turn; intermediate text, interrupted text and tool calls have no row. A message id is derived from the
// message's place in the session, so it never changes.
import { hash } from "node:crypto"
import type { SessionId } from "../../contract/ids.ts"
import type { SessionStatus } from "../../contract/views/status.ts"
import type { TranscriptPage } from "../../contract/views/transcript.ts"
import type { TranscriptItem } from "../../projection/transcript.ts"
import { withoutTrailing } from "../../contract/text/text.ts"
import type { MessagePage, MessageRow } from "./frames.ts"
import { MAX_TITLE_LENGTH } from "./limits.ts"

export function messageId(sessionId: SessionId, seq: number): string {
  return messageIds(sessionId)(seq)
}

/** Version 5 UUIDs with the session id as their name space. */
function messageIds(sessionId: SessionId): (seq: number) => string {
  const space = sessionId.replaceAll("-", "")
  return (seq) => {
    const digits = Array.from(String(seq), (digit) => `3${digit}`).join("") // ASCII in hex
    const hex = hash("sha1", Buffer.from(space + digits, "hex"))
    const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16)
    const fourth = `${variant}${hex.slice(17, 20)}`
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${fourth}-${hex.slice(20, 32)}`
  }
}

/** The rows of some consecutive turns. */
export interface RowChunk {
  readonly rows: readonly MessageRow[]
  /** Where earlier rows end, if there are any. */
  readonly start: number
  readonly earlier: boolean
}

/** From a session snapshot or an older part of its transcript. A running turn has no reply yet. */
export function rowChunk(
  sessionId: SessionId,
  { items, start, earlier, status }: TranscriptPage & { readonly status?: SessionStatus },
): RowChunk {
  return { rows: rowsOf(sessionId, items, status?.inTurn === true), start, earlier }
}

export function rowsOf(sessionId: SessionId, items: readonly TranscriptItem[], inTurn: boolean): readonly MessageRow[] {
  const running = inTurn ? items.findLastIndex(isInbound) : items.length
  const shown = items.filter((item, index) => isInbound(item) || (index < running && isReply(items, index)))
  const times = rowTimes(shown)
  const idOf = messageIds(sessionId)
  return shown.map((item, index) => rowOf(idOf, item, times[index] ?? item.at)).toReversed()
}

/** Clients sort rows by time: each is later than the one before it, and a reply is not older than its end. */
function rowTimes(items: readonly TranscriptItem[]): readonly number[] {
  let last = 0
  return items.map(({ at, settledAt = at }) => (last = Math.max(settledAt, last + 1)))
}

/** Undefined if the cursor is not one of these rows. */
export function pageOf(
  rows: readonly MessageRow[],
  limit: number,
  cursor: string | undefined,
): MessagePage | undefined {
  const start = cursor === undefined ? 0 : rows.findIndex(({ id }) => id === cursor) + 1
  if (cursor !== undefined && start === 0) return undefined
  const messages = rows.slice(start, start + limit)
  const hasMore = rows.length > start + limit
  return { messages, nextCursor: hasMore ? (messages.at(-1)?.id ?? null) : null, hasMore }
}

/** A title from a visitor's first message, without marks of headings and quotes. */
export function titleOf(message: string): string {
  const line = message
    .replace(/^[\s#>*`"'-]+/u, "")
    .replaceAll(/\s+/gu, " ")
    .trim()
  const characters = Array.from(line)
  return characters.length <= MAX_TITLE_LENGTH ? line : `${characters.slice(0, MAX_TITLE_LENGTH).join("")}…`
}

/** A title that a client chose, without surrounding quotes, markdown marks and control characters. */
export function normalizedTitle(title: string): string {
  const line = title
    .toWellFormed()
    .replaceAll(/[*`#]|(?!\s)\p{Cc}/gu, "")
    .replaceAll(/\s+/gu, " ")
    .trim()
    .replace(/^["']+/u, "")
  return Array.from(withoutTrailing(line, "\"'").trim()).slice(0, MAX_TITLE_LENGTH).join("")
}

function isInbound(item: TranscriptItem): boolean {
  return item.kind === "user" && item.state === "promoted"
}

/** The last text of a completed turn. */
function isReply(items: readonly TranscriptItem[], index: number): boolean {
  const item = items[index]
  if (item?.kind !== "assistant" || item.text === "" || item.cutOff) return false
  for (let next = index + 1; next < items.length; next++) {
    const later = items[next]
    if (later?.kind === "user") return true
    if (later?.kind === "assistant" && later.text !== "") return false
    if (later?.kind === "notice" && (later.end === "interrupted" || later.end === "failed")) return false
  }
  return true
}

function rowOf(idOf: (seq: number) => string, { kind, seq, ...item }: TranscriptItem, time: number): MessageRow {
  const text = "text" in item ? item.text : ""
  const direction = kind === "user" ? "inbound" : "outbound"
  return { id: idOf(seq), direction, content: { text }, createdAt: new Date(time).toISOString() }
}
