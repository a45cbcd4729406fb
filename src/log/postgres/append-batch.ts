// Stores the appends of many sessions with one statement, which is one transaction: either all rows of an append are stored or
// none, and an append that does not fit its session changes nothing.
import type { Queries } from "../../postgres/database.ts"
import { numberIn, numberOrNothingIn, textIn } from "../../postgres/row.ts"
import { nextHash } from "../chain.ts"
import { ok, refused, type Outcome } from "../event-log.ts"
import { refuseAppend, unknownSession } from "../fence.ts"
import type { storedForm } from "../recorded.ts"

export interface AppendRequest extends ReturnType<typeof storedForm> {
  readonly epoch: number
  readonly settles: boolean
}

/** The newest event of a session, as this process knows it. */
export interface KnownHead {
  readonly seq: number
  readonly hash: string
}

export interface StoredHead extends KnownHead {
  readonly sessionId: string
  readonly number: number
  readonly ownerEpoch: number | undefined
}

const statement = `
  with request as (
    select * from unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::text[], $7::float8[], $8::text[], $9::int[])
      as r (session_id, epoch, seq, head, new_seq, new_head, at, summary, settles)
  ), moved as (
    update turnhouse.sessions s
      set seq = r.new_seq, head = r.new_head, updated_at = r.at, summary = coalesce(r.summary, s.summary)
      from request r
      where s.session_id = r.session_id and s.owner_epoch = r.epoch and s.seq = r.seq and s.head = r.head
      returning s.number, s.session_id, r.settles
  ), stored as (
    insert into turnhouse.events (session, seq, hash, text)
      select m.number, l.seq, l.hash, l.text
      from unnest($10::text[], $11::bigint[], $12::text[], $13::text[]) as l (session_id, seq, hash, text)
      join moved m using (session_id)
  ), settled as (
    delete from turnhouse.streamed t using moved m where t.session = m.number and m.settles = 1
  ), opened as (
    insert into turnhouse.visits (visit_id, session, seq)
      select v.visit_id, m.number, v.seq
      from unnest($14::text[], $15::text[], $16::bigint[]) as v (session_id, visit_id, seq)
      join moved m using (session_id)
      on conflict (visit_id) do nothing
  )
  select session_id from moved`

/** The requests are of different sessions. `heads` gets what was found and stored. */
export async function appendAll(
  queries: Queries,
  requests: readonly AppendRequest[],
  heads: Map<string, KnownHead>,
  isRepeat: boolean,
): Promise<readonly Outcome<void>[]> {
  await readMissingHeads(queries, requests, heads)
  const chained = requests.map((request) => chain(request, heads.get(request.sessionId)))
  const stored = await store(queries, chained)
  const failed = chained.filter(({ request }) => !stored.has(request.sessionId))
  for (const { request, newHead } of chained) if (stored.has(request.sessionId)) heads.set(request.sessionId, newHead)
  const judged = failed.length === 0 ? new Map<string, Outcome<void>>() : await judge(queries, failed, heads, isRepeat)
  return requests.map(({ sessionId }) => judged.get(sessionId) ?? ok(undefined))
}

export async function readHeads(
  queries: Queries,
  sessionIds: readonly string[],
): Promise<ReadonlyMap<string, StoredHead>> {
  const rows = await queries.query(
    "select session_id, number, seq, head, owner_epoch from turnhouse.sessions where session_id = any($1::text[])",
    [sessionIds],
  )
  const heads = rows.map((row): StoredHead => {
    const [sessionId, hash] = [textIn(row, "session_id"), textIn(row, "head")]
    const [number, seq] = [numberIn(row, "number"), numberIn(row, "seq")]
    return { sessionId, number, seq, hash, ownerEpoch: numberOrNothingIn(row, "owner_epoch") }
  })
  return new Map(heads.map((head) => [head.sessionId, head]))
}

interface Chained {
  readonly request: AppendRequest
  readonly hash: string
  readonly hashes: readonly string[]
  readonly newHead: KnownHead
}

async function readMissingHeads(
  queries: Queries,
  requests: readonly AppendRequest[],
  heads: Map<string, KnownHead>,
): Promise<void> {
  const unknown = requests.filter(({ sessionId, expectedSeq }) => heads.get(sessionId)?.seq !== expectedSeq)
  if (unknown.length === 0) return
  const found = await readHeads(
    queries,
    unknown.map(({ sessionId }) => sessionId),
  )
  for (const [sessionId, { seq, hash }] of found) heads.set(sessionId, { seq, hash })
}

/** An append that does not follow the head is refused by the statement. */
function chain(request: AppendRequest, head: KnownHead | undefined): Chained {
  const { expectedSeq, lines } = request
  const start = head?.seq === expectedSeq ? head.hash : ""
  const hashes: string[] = []
  for (const line of lines) hashes.push(nextHash(hashes.at(-1) ?? start, line))
  return { request, hash: start, hashes, newHead: { seq: expectedSeq + lines.length, hash: hashes.at(-1) ?? start } }
}

async function store(queries: Queries, chained: readonly Chained[]): Promise<ReadonlySet<string>> {
  const requests = chained.map(({ request }) => request)
  const lines = chained.flatMap(({ request: { sessionId, expectedSeq, lines: texts }, hashes }) =>
    texts.map((text, index) => ({ sessionId, seq: expectedSeq + 1 + index, hash: hashes[index] ?? "", text })),
  )
  const visits = requests.flatMap(({ sessionId, visits: opened }) => opened.map((visit) => ({ sessionId, ...visit })))
  const rows = await queries.query(statement, [
    requests.map(({ sessionId }) => sessionId),
    requests.map(({ epoch }) => epoch),
    requests.map(({ expectedSeq }) => expectedSeq),
    chained.map(({ hash }) => hash),
    chained.map(({ newHead }) => newHead.seq),
    chained.map(({ newHead }) => newHead.hash),
    requests.map(({ at }) => at),
    requests.map(({ summary }) => summary ?? null),
    requests.map(({ settles }) => (settles ? 1 : 0)),
    lines.map(({ sessionId }) => sessionId),
    lines.map(({ seq }) => seq),
    lines.map(({ hash }) => hash),
    lines.map(({ text }) => text),
    visits.map(({ sessionId }) => sessionId),
    visits.map(({ visitId }) => visitId),
    visits.map(({ seq }) => seq),
  ])
  return new Set(rows.map((row) => textIn(row, "session_id")))
}

/** Why they were not stored; or that an earlier attempt has stored them. */
async function judge(
  queries: Queries,
  failed: readonly Chained[],
  heads: Map<string, KnownHead>,
  isRepeat: boolean,
): Promise<Map<string, Outcome<void>>> {
  const found = await readHeads(
    queries,
    failed.map(({ request }) => request.sessionId),
  )
  const judged = new Map<string, Outcome<void>>()
  for (const { request } of failed) {
    const { sessionId } = request
    const head = found.get(sessionId)
    if (head === undefined) heads.delete(sessionId)
    else heads.set(sessionId, { seq: head.seq, hash: head.hash })
    judged.set(sessionId, await judgeOne(queries, request, head, isRepeat))
  }
  return judged
}

async function judgeOne(
  queries: Queries,
  request: AppendRequest,
  head: StoredHead | undefined,
  isRepeat: boolean,
): Promise<Outcome<void>> {
  const { sessionId, epoch, expectedSeq } = request
  if (head === undefined) return refused(unknownSession(sessionId))
  if (isRepeat && head.ownerEpoch === epoch && (await isStored(queries, head.number, request))) {
    // A checkpoint that was repeated, too, may have stored its text again.
    if (request.settles) await queries.query("delete from turnhouse.streamed where session = $1", [head.number])
    return ok(undefined)
  }
  const refusal = refuseAppend(head, epoch, expectedSeq)
  if (refusal !== undefined) return refused(refusal)
  // It follows the newest event, but this process knew another hash of it.
  return refused({ code: "log.conflict", sessionId, expectedSeq, seq: head.seq })
}

export async function isStored(
  queries: Queries,
  number: number,
  { expectedSeq, lines }: Pick<AppendRequest, "expectedSeq" | "lines">,
): Promise<boolean> {
  const rows = await queries.query(
    "select text from turnhouse.events where session = $1 and seq > $2 and seq <= $3 order by seq",
    [number, expectedSeq, expectedSeq + lines.length],
  )
  return lines.length > 0 && rows.length === lines.length && rows.every((row, at) => row["text"] === lines[at])
}
