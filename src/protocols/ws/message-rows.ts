// The messages of a conversation as rows, newest first, and its line in a list. A row is a visitor's words or the reply
// of a whole turn; what was said in between, what was cut off and what tools did is not a row. Ids are made from the
// place of a message in its session, so the same message has the same id for ever.
import { createHash } from "node:crypto"
import type { SessionId } from "../../contract/ids.ts"
import type { JsonValue } from "../../contract/values.ts"
import type { TranscriptItem } from "../../projection/transcript.ts"
import type { MessagePage, MessageRow } from "./frames.ts"
import { withoutTrailing } from "../../contract/trailing.ts"

const titleLength = 60

/** A UUID of version 5, with the session as its name space. */
export function messageId(sessionId: SessionId, seq: number): string {
  const space = Buffer.from(sessionId.replaceAll("-", ""), "hex")
  const hash = createHash("sha1").update(space).update(String(seq)).digest().subarray(0, 16)
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x50, 6)
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = hash.toString("hex")
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-")
}

/** Some turns of a conversation. */
export interface Piece {
  readonly rows: readonly MessageRow[]
  /** Where what came before it ends, if there is anything. */
  readonly start: number
  readonly earlier: boolean
}

/** From a scene, or from an older piece of a transcript. A turn that runs has no reply yet. */
export function pieceIn(sessionId: SessionId, value: JsonValue): Piece | undefined {
  if (!isStretch(value)) return undefined
  const { items, start, earlier, status } = value
  return { rows: rowsOf(sessionId, items, status?.inTurn === true), start, earlier }
}

export function rowsOf(sessionId: SessionId, items: readonly TranscriptItem[], inTurn: boolean): readonly MessageRow[] {
  const running = inTurn ? items.findLastIndex(isInbound) : items.length
  const shown = items.filter((item, index) => isInbound(item) || (index < running && isReply(items, index)))
  const times = readingTimes(shown)
  return shown.map((item, index) => rowOf(sessionId, item, times[index] ?? item.at)).toReversed()
}

/** Clients sort rows by their time: each is later than the one before it, and no reply is older than its end. */
function readingTimes(items: readonly TranscriptItem[]): readonly number[] {
  let last = 0
  return items.map(({ at, settledAt = at }) => (last = Math.max(settledAt, last + 1)))
}

/** Nothing where the cursor is not one of these rows. */
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

/** The first words of a visitor, without the marks of headings and quotes. */
export function titleOf(words: string): string {
  const line = words
    .replace(/^[\s#>*`"'-]+/u, "")
    .replaceAll(/\s+/gu, " ")
    .trim()
  const characters = Array.from(line)
  return characters.length <= titleLength ? line : `${characters.slice(0, titleLength).join("")}…`
}

/** A name that somebody gave: without quotes around it, marks in it, and what no text can hold. */
export function givenTitle(title: string): string {
  const line = title
    .toWellFormed()
    .replaceAll(/[*`#]|(?!\s)\p{Cc}/gu, "")
    .replaceAll(/\s+/gu, " ")
    .trim()
    .replace(/^["']+/u, "")
  return Array.from(withoutTrailing(line, "\"'").trim()).slice(0, titleLength).join("")
}

interface Stretch {
  readonly items: readonly TranscriptItem[]
  readonly start: number
  readonly earlier: boolean
  readonly status?: { readonly inTurn: boolean }
}

function isStretch(value: JsonValue): value is Stretch & JsonValue {
  return typeof value === "object" && value !== null && "items" in value && "start" in value
}

function isInbound(item: TranscriptItem): boolean {
  return item.kind === "user" && item.state === "promoted"
}

/** The last words of a turn that came to its end. */
function isReply(items: readonly TranscriptItem[], index: number): boolean {
  const item = items[index]
  if (item?.kind !== "assistant" || item.text === "" || item.cutOff) return false
  for (const later of items.slice(index + 1)) {
    if (later.kind === "user") return true
    if (later.kind === "assistant" && later.text !== "") return false
    if (later.kind === "notice" && (later.end === "interrupted" || later.end === "failed")) return false
  }
  return true
}

function rowOf(sessionId: SessionId, { kind, seq, ...item }: TranscriptItem, time: number): MessageRow {
  const text = "text" in item ? item.text : ""
  const direction = kind === "user" ? "inbound" : "outbound"
  return { id: messageId(sessionId, seq), direction, content: { text }, createdAt: new Date(time).toISOString() }
}
