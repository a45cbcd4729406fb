// One session as the log in memory keeps it: the encoded lines with their hashes, and what the directory says of it.
import type { Recorded } from "../../contract/events.ts"
import type { SessionId } from "../../contract/ids.ts"
import { decodeEvent, encodeEvent } from "../../contract/stored-event.ts"
import type { JsonValue } from "../../contract/values.ts"
import { firstHash, nextHash } from "../chain.ts"
import type { Append, ListFilter, Snapshot, StoredLine, StreamedStep } from "../event-log.ts"
import type { SessionHead } from "../fence.ts"
import { recordedIn } from "../recorded.ts"

export interface StoredSession {
  readonly sessionId: SessionId
  readonly createdAt: number
  readonly org: string | undefined
  readonly owner: string | undefined
  readonly lines: StoredLine[]
  updatedAt: number
  ownerEpoch: number | undefined
  summary: JsonValue
  snapshot: Snapshot | undefined
  streamed: StreamedStep[]
}

export function emptySession(sessionId: SessionId, createdAt: number, ownerEpoch: number): StoredSession {
  const nothing = { org: undefined, owner: undefined, lines: [], summary: null, snapshot: undefined, streamed: [] }
  return { sessionId, createdAt, updatedAt: createdAt, ownerEpoch, ...nothing }
}

export function fits(session: StoredSession, { org, owner }: ListFilter): boolean {
  return session.org === org && (owner === undefined || session.owner === owner)
}

export function store(session: StoredSession, append: Append): readonly Recorded[] {
  const recorded = recordedIn(append)
  for (const event of recorded) {
    const text = encodeEvent(event)
    const previous = session.lines.at(-1)?.hash ?? firstHash(session.sessionId)
    session.lines.push({ seq: event.seq, text, hash: nextHash(previous, text) })
  }
  session.updatedAt = append.at
  if (append.summary !== undefined) session.summary = structuredClone(append.summary)
  if (append.settles !== undefined) session.streamed = []
  return recorded
}

export function headOf({ sessionId, lines, ownerEpoch }: StoredSession): SessionHead {
  return { sessionId, seq: lines.length, ownerEpoch }
}

export function decode({ text }: StoredLine): Recorded {
  const decoded = decodeEvent(text)
  if (decoded.kind !== "event") throw new Error(`an event was stored that cannot be read back: ${text}`)
  return decoded.recorded
}
