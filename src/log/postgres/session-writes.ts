// Writes to one session besides appends and checkpoints, each in a transaction of its own.
import type { SessionId } from "../../contract/ids.ts"
import type { Queries } from "../../postgres/database.ts"
import { numberIn, textIn } from "../../postgres/row.ts"
import { firstHash, nextHash } from "../chain.ts"
import { ok, refused, type Append, type Outcome } from "../event-log.ts"
import { refuseSnapshot, refuseWrite, unknownSession } from "../fence.ts"
import { ownerIn, type storedForm } from "../recorded.ts"
import { isStored, readHeads, type KnownHead } from "./append-batch.ts"

/** One more than needed, in case the newest cannot be read. */
const KEPT_SNAPSHOTS = 2

export async function create(
  queries: Queries,
  epoch: number,
  first: Append,
  stored: ReturnType<typeof storedForm>,
  isRepeat: boolean,
): Promise<Outcome<KnownHead>> {
  const { sessionId, at, expectedSeq, lines, summary = "null", visits } = stored
  const hashes: string[] = []
  for (const line of lines) hashes.push(nextHash(hashes.at(-1) ?? firstHash(sessionId), line))
  const head = { seq: lines.length, hash: hashes.at(-1) ?? firstHash(sessionId) }
  const known = (await readHeads(queries, [sessionId])).get(sessionId)
  if (known !== undefined) {
    const isOwn = isRepeat && known.ownerEpoch === epoch && (await isStored(queries, known.number, stored))
    return isOwn ? ok({ seq: known.seq, hash: known.hash }) : refused({ code: "session.exists", sessionId })
  }
  if (expectedSeq !== 0) return refused({ code: "log.conflict", sessionId, expectedSeq, seq: 0 })
  const { org = null, owner = null, place = null } = ownerIn(first)
  const [row] = await queries.query(
    `insert into turnhouse.sessions (session_id, created_at, updated_at, seq, head, owner_epoch, summary, org, owner, place)
       select $1, $2, $2, $3, $4, epoch, $6, $7, $8, $9 from turnhouse.hosts where epoch = $5
       on conflict (session_id) do nothing returning number`,
    [sessionId, at, head.seq, head.hash, epoch, summary, org, owner, place],
  )
  if (row === undefined) return refuseCreation(queries, sessionId)
  const number = numberIn(row, "number")
  await queries.query(
    `insert into turnhouse.events (session, seq, hash, text)
       select $1, place, hash, text from unnest($2::text[], $3::text[]) with ordinality as l (hash, text, place)`,
    [number, hashes, lines],
  )
  await queries.query(
    `insert into turnhouse.visits (visit_id, session, seq)
       select visit_id, $1, seq from unnest($2::text[], $3::bigint[]) as v (visit_id, seq) on conflict (visit_id) do nothing`,
    [number, visits.map(({ visitId }) => visitId), visits.map(({ seq }) => seq)],
  )
  return ok(head)
}

/** Either the id is taken, or the host is not registered. */
async function refuseCreation(queries: Queries, sessionId: SessionId): Promise<Outcome<never>> {
  const isTaken = (await readHeads(queries, [sessionId])).has(sessionId)
  return refused(isTaken ? { code: "session.exists", sessionId } : { code: "log.fenced", sessionId })
}

/** The snapshot's hash binds it to the event after which it was taken. */
export async function saveSnapshot(
  queries: Queries,
  epoch: number,
  sessionId: SessionId,
  seq: number,
  value: string,
): Promise<Outcome<void>> {
  const head = (await readHeads(queries, [sessionId])).get(sessionId)
  if (head === undefined) return refused(unknownSession(sessionId))
  const refusal = refuseSnapshot(head, epoch, seq)
  if (refusal !== undefined) return refused(refusal)
  const [event] = await queries.query("select hash from turnhouse.events where session = $1 and seq = $2", [
    head.number,
    seq,
  ])
  if (event === undefined) return refused({ code: "session.damaged", sessionId, seq, what: "it is missing" })
  await queries.query(
    `insert into turnhouse.snapshots (session, seq, hash, value) values ($1, $2, $3, $4)
       on conflict (session, seq) do update set hash = excluded.hash, value = excluded.value`,
    [head.number, seq, nextHash(textIn(event, "hash"), value), value],
  )
  await queries.query(
    `delete from turnhouse.snapshots where session = $1 and seq not in
       (select seq from turnhouse.snapshots where session = $1 order by seq desc limit $2)`,
    [head.number, KEPT_SNAPSHOTS],
  )
  return ok(undefined)
}

/** A repeated request that finds no session is done. */
export async function remove(
  queries: Queries,
  epoch: number,
  sessionId: SessionId,
  isRepeat: boolean,
): Promise<Outcome<void>> {
  const head = (await readHeads(queries, [sessionId])).get(sessionId)
  if (head === undefined) return isRepeat ? ok(undefined) : refused(unknownSession(sessionId))
  const refusal = refuseWrite(head, epoch)
  if (refusal !== undefined) return refused(refusal)
  for (const table of ["events", "snapshots", "streamed", "visits"])
    await queries.query(`delete from turnhouse.${table} where session = $1`, [head.number])
  await queries.query("delete from turnhouse.sessions where number = $1 and owner_epoch = $2", [head.number, epoch])
  return ok(undefined)
}
