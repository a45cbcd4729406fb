// Reads sessions: what is needed to resume one, pages of its events, and the check of its chain.
import { parseJson } from "../../contract/json-object.ts"
import type { SessionId } from "../../contract/ids.ts"
import type { Queries } from "../../postgres/database.ts"
import { numberIn, textIn, type Row } from "../../postgres/row.ts"
import { nextHash } from "../chain.ts"
import {
  ok,
  refused,
  type Damage,
  type LoadedSession,
  type Outcome,
  type Snapshot,
  type StoredLine,
} from "../event-log.ts"
import { unknownSession } from "../fence.ts"
import { isStepId, isStreamedBlock, joinPieces } from "../streamed-pieces.ts"
import { asLine, decode, readVerified, type ReadPage, type Take } from "../verified-read.ts"
import { readHeads, type StoredHead } from "./append-batch.ts"

const PAGE_ROWS = 500

export async function load(queries: Queries, sessionId: SessionId): Promise<Outcome<LoadedSession>> {
  const found = await headOf(queries, sessionId)
  if (found.kind === "refused") return found
  const head = found.value
  // Streamed text first: what is settled meanwhile is in an event that is read afterwards.
  const streamed = await readStreamed(queries, head.number)
  const newest = await headOf(queries, sessionId)
  if (newest.kind === "refused") return newest
  const snapshot = await readSnapshot(queries, head)
  const events = await readVerified(pagesOf(queries, head), newest.value, snapshot?.seq ?? 0, newest.value.seq, decode)
  return events.kind === "refused" ? events : ok({ snapshot, events: events.value, streamed })
}

export async function readSection<Item>(
  queries: Queries,
  sessionId: SessionId,
  afterSeq: number,
  limit: number,
  take: Take<Item>,
): Promise<Outcome<readonly Item[]>> {
  const head = await headOf(queries, sessionId)
  if (head.kind === "refused") return head
  const from = Math.max(0, afterSeq)
  return readVerified(pagesOf(queries, head.value), head.value, from, Math.min(head.value.seq, from + limit), take)
}

/** The first damage of each session. */
export async function inspect(queries: Queries, sessionIds: readonly SessionId[]): Promise<Outcome<readonly Damage[]>> {
  const damage: Damage[] = []
  for (const sessionId of sessionIds) {
    const read = await readSection(queries, sessionId, 0, Number.MAX_SAFE_INTEGER, checked)
    if (read.kind === "ok" || read.refusal.code !== "session.damaged") continue
    damage.push({ sessionId, seq: read.refusal.seq, what: read.refusal.what })
  }
  return ok(damage)
}

/** An event of a newer version is not damage. */
function checked(sessionId: string, line: StoredLine): Outcome<undefined> {
  const event = decode(sessionId, line)
  return event.kind === "refused" && event.refusal.code === "session.damaged" ? event : ok(undefined)
}

export { asLine, decode }

async function headOf(queries: Queries, sessionId: SessionId): Promise<Outcome<StoredHead>> {
  const head = (await readHeads(queries, [sessionId])).get(sessionId)
  return head === undefined ? refused(unknownSession(sessionId)) : ok(head)
}

function pagesOf(queries: Queries, { number }: StoredHead): ReadPage {
  return async (afterSeq, upTo) => {
    const rows = await queries.query(
      "select seq, hash, text from turnhouse.events where session = $1 and seq > $2 and seq <= $3 order by seq limit $4",
      [number, afterSeq, upTo, PAGE_ROWS],
    )
    const lines = rows.map(lineOf).filter(({ seq }, at) => seq === afterSeq + 1 + at)
    return { lines, problem: lines.length === 0 ? "it is missing" : undefined }
  }
}

function lineOf(row: Row): StoredLine {
  return { seq: numberIn(row, "seq"), text: textIn(row, "text"), hash: textIn(row, "hash") }
}

/** A damaged piece and everything after it are left out, so that no text with a gap is shown. */
async function readStreamed(queries: Queries, number: number) {
  const rows = await queries.query(
    "select step_id, blocks, hash from turnhouse.streamed where session = $1 order by id",
    [number],
  )
  const pieces = []
  for (const row of rows) {
    const [stepId, text] = [textIn(row, "step_id"), textIn(row, "blocks")]
    const blocks = parseJson(text)
    const isWhole = isStepId(stepId) && textIn(row, "hash") === nextHash(stepId, text)
    if (!isWhole || !Array.isArray(blocks) || !blocks.every(isStreamedBlock)) break
    pieces.push({ stepId, blocks })
  }
  return joinPieces(pieces)
}

/** The newest snapshot that belongs to the event it names: an older one, or none, only costs time. */
async function readSnapshot(queries: Queries, { number, seq }: StoredHead): Promise<Snapshot | undefined> {
  const rows = await queries.query(
    `select n.seq, n.hash, n.value, e.hash as event_hash from turnhouse.snapshots n
       join turnhouse.events e on e.session = n.session and e.seq = n.seq
       where n.session = $1 and n.seq <= $2 order by n.seq desc`,
    [number, seq],
  )
  for (const row of rows) {
    const text = textIn(row, "value")
    if (textIn(row, "hash") === nextHash(textIn(row, "event_hash"), text))
      return { seq: numberIn(row, "seq"), value: parseJson(text) }
  }
  return undefined
}
