// Reads the events of one session and checks them against the hash chain. A missing, altered or unreadable event ends the
// read with a refusal that names it; other sessions are not affected.
import { setImmediate } from "node:timers/promises"
import type { Recorded } from "../../../contract/events.ts"
import { decodeEvent } from "../../../contract/stored-event.ts"
import { firstHash, nextHash } from "../../chain.ts"
import {
  ok,
  refused,
  type LoadedSession,
  type Outcome,
  type Refused,
  type StoredLine,
  type Snapshot,
} from "../../event-log.ts"
import { unknownSession } from "../../fence.ts"
import type { Connection } from "../connection.ts"
import { findHead, type StoredHead } from "../directory.ts"
import { readPage, type Page, readLine } from "./lines.ts"
import { readStreamed } from "./streamed.ts"
import { parseJson } from "../../../contract/json-object.ts"
import { unlessDamaged } from "../faults.ts"
import { placeOf, seqAt } from "../place.ts"
import { numberIn, textIn, type Row } from "../row.ts"

export async function load(connection: Connection, sessionId: string): Promise<Outcome<LoadedSession>> {
  const start = connection.atOnce(() => {
    const head = findSession(connection, sessionId)
    if (head.kind === "refused") return head
    const { number } = head.value
    const streamed = readStreamed(connection, number).steps
    return ok({ head: head.value, snapshot: unlessDamaged(() => readSnapshot(connection, head.value)), streamed })
  })
  if (start.kind === "refused") return start
  const { head, snapshot, streamed } = start.value
  const events = await collect(connection, head, snapshot?.seq ?? 0, head.seq, decode)
  return events.kind === "refused" ? events : ok({ snapshot, events: events.value, streamed })
}

export async function readSection<Item>(
  connection: Connection,
  sessionId: string,
  afterSeq: number,
  limit: number,
  take: Take<Item>,
): Promise<Outcome<readonly Item[]>> {
  const head = findSession(connection, sessionId)
  if (head.kind === "refused") return head
  const from = Math.max(0, afterSeq)
  return collect(connection, head.value, from, Math.min(head.value.seq, from + limit), take)
}

type Take<Item> = (sessionId: string, line: StoredLine) => Outcome<Item>

export function asLine(_: string, line: StoredLine): Outcome<StoredLine> {
  return ok(line)
}

export function decode(sessionId: string, { seq, text }: StoredLine): Outcome<Recorded> {
  const decoded = decodeEvent(text)
  if (decoded.kind === "broken") return damaged(sessionId, seq, decoded.what)
  if (decoded.kind === "event") return ok(decoded.recorded)
  const { type, version, known } = decoded
  return refused({ code: "session.newer", sessionId, seq, type, version, known })
}

interface Place {
  readonly seq: number
  readonly hash: string
}

async function collect<Item>(
  connection: Connection,
  head: StoredHead,
  from: number,
  upTo: number,
  take: Take<Item>,
): Promise<Outcome<readonly Item[]>> {
  const items: Item[] = []
  if (from >= upTo) return ok(items)
  let place = startAt(connection, head, from)
  while (place.kind === "ok" && place.value.seq < upTo) {
    if (place.value.seq > from) await setImmediate()
    const page = readPage(connection, head.number, place.value.seq, upTo)
    place = follow(head, place.value, page)
    if (place.kind === "refused") return place
    for (const line of page.lines) {
      const item = take(head.sessionId, line)
      if (item.kind === "refused") return item
      items.push(item.value)
    }
  }
  return place.kind === "refused" ? place : ok(items)
}

/** The place after the page's last line, or the first damage on the page. */
function follow({ sessionId, ...head }: StoredHead, from: Place, page: Page): Outcome<Place> {
  let { seq, hash } = from
  if (page.problem !== undefined) return damaged(sessionId, seq + 1, page.problem)
  for (const line of page.lines) {
    if (line.hash !== nextHash(hash, line.text)) return damaged(sessionId, line.seq, "its bytes were altered")
    seq = line.seq
    hash = line.hash
  }
  if (seq === head.seq && hash !== head.hash) return damaged(sessionId, seq, "it is not the event that was stored last")
  return ok({ seq, hash })
}

function startAt(connection: Connection, { sessionId, number }: StoredHead, seq: number): Outcome<Place> {
  if (seq === 0) return ok({ seq, hash: firstHash(sessionId) })
  const { lines, problem = "it is missing" } = readPage(connection, number, seq - 1, seq)
  const [line] = lines
  return line === undefined ? damaged(sessionId, seq, problem) : ok({ seq, hash: line.hash })
}

export function findSession(connection: Connection, sessionId: string): Outcome<StoredHead> {
  const head = findHead(connection, sessionId)
  if (head === undefined) return refused(unknownSession(sessionId))
  return head instanceof Error ? damaged(sessionId, 0, head.message) : ok(head)
}

function damaged(sessionId: string, seq: number, what: string): Refused {
  return refused({ code: "session.damaged", sessionId, seq, what })
}

/** The newest snapshot that is readable and belongs to the event it names: an older one, or none, only costs time. */
function readSnapshot(connection: Connection, { number, seq }: StoredHead): Snapshot | undefined {
  const newest = "select place, value, hash from snapshots where place <= ? and place > ? order by place desc limit 1"
  for (let upTo = placeOf(number, seq); ;) {
    const row = connection.sql(newest).get(upTo, placeOf(number, 0))
    if (row === undefined) return undefined
    const snapshot = usable(connection, number, row)
    if (snapshot !== undefined) return snapshot
    upTo = numberIn(row, "place") - 1
  }
}

function usable(connection: Connection, session: number, row: Row): Snapshot | undefined {
  const seq = seqAt(numberIn(row, "place"))
  const text = textIn(row, "value")
  const event = readLine(connection, session, seq)
  if (event === undefined || event instanceof Error) return undefined
  if (textIn(row, "hash") !== nextHash(event.hash, text)) return undefined
  return { seq, value: parseJson(text) }
}
