// Reads the events of one session and checks them against the hash chain. A missing, altered or unreadable event ends the
// read with a refusal that names it; other sessions are not affected.
import { nextHash } from "../../chain.ts"
import { ok, refused, type LoadedSession, type Outcome, type Snapshot } from "../../event-log.ts"
import { unknownSession } from "../../fence.ts"
import { damaged, decode, readVerified, type ReadPage, type Take } from "../../verified-read.ts"
import type { Connection } from "../connection.ts"
import { findHead, type StoredHead } from "../directory.ts"
import { readPage, readLine } from "./lines.ts"
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
  const events = await readVerified(pagesOf(connection, head), head, snapshot?.seq ?? 0, head.seq, decode)
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
  const upTo = Math.min(head.value.seq, from + limit)
  return readVerified(pagesOf(connection, head.value), head.value, from, upTo, take)
}

/** In bounded pages, so that no read blocks the event loop for long. */
function pagesOf(connection: Connection, { number }: StoredHead): ReadPage {
  return (afterSeq, upTo) => readPage(connection, number, afterSeq, upTo)
}

export function findSession(connection: Connection, sessionId: string): Outcome<StoredHead> {
  const head = findHead(connection, sessionId)
  if (head === undefined) return refused(unknownSession(sessionId))
  return head instanceof Error ? damaged(sessionId, 0, head.message) : ok(head)
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
