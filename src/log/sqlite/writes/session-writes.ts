// Writes to one session. All checks come before the first write, so that a refusal changes nothing and the rest of the
// transaction is kept.
//
// `again` means that an earlier commit of this request failed but may have reached the disk. What is already stored
// counts as done, so that no event and no piece of text is stored twice.
import { firstHash, nextHash } from "../../chain.ts"
import { refuseAppend, refuseSnapshot, refuseWrite, unknownSession } from "../../fence.ts"
import { refused } from "../../event-log.ts"
import type { Connection } from "../connection.ts"
import { headOf, type StoredHead } from "../directory.ts"
import { BrokenRow } from "../faults.ts"
import { isRegistered, done } from "./ownership-writes.ts"
import { highestSeq, placeOf } from "../place.ts"
import { textIn } from "../row.ts"
import type {
  AppendRequest,
  CheckpointRequest,
  CreateRequest,
  RequestOf,
  SnapshotRequest,
  WriteAnswer,
} from "./write-request.ts"

/** One more than needed, in case the newest cannot be read. */
const keptSnapshots = 2

export function create(connection: Connection, request: CreateRequest, isRepeat: boolean): WriteAnswer {
  const { sessionId, epoch, at, expectedSeq, summary = "null", org = null, owner = null } = request
  const head = headOf(connection, sessionId)
  if (isRepeat && isStored(connection, head, request)) return done
  if (head !== undefined) return refused({ code: "session.exists", sessionId })
  if (!isRegistered(connection, epoch)) return refused({ code: "log.fenced", sessionId })
  if (expectedSeq !== 0) return refused({ code: "log.conflict", sessionId, expectedSeq, seq: 0 })
  const hash = firstHash(sessionId)
  const { lastInsertRowid } = connection
    .sql(
      `insert into sessions (session_id, created_at, updated_at, seq, head, owner_epoch, summary, org, owner)
       values (?, ?, ?, 0, ?, ?, ?, ?, ?)`,
    )
    .run(sessionId, at, at, hash, epoch, summary, org, owner)
  store(connection, { number: Number(lastInsertRowid), hash }, request)
  return done
}

export function append(connection: Connection, request: AppendRequest, isRepeat: boolean): WriteAnswer {
  const { sessionId, epoch, expectedSeq, lines } = request
  const head = headOf(connection, sessionId)
  if (head === undefined) return refused(unknownSession(sessionId))
  if (isRepeat && isStored(connection, head, request)) return settled(connection, head, request)
  const refusal = refuseAppend(head, epoch, expectedSeq)
  if (refusal !== undefined) return refused(refusal)
  if (expectedSeq + lines.length > highestSeq)
    return refused({ code: "log.unavailable", what: `session ${sessionId} has the maximum number of events` })
  store(connection, head, request)
  return settled(connection, head, request)
}

/** Also if the append was stored before: a repeated checkpoint may have stored its text again. */
function settled(connection: Connection, { number }: StoredHead, { settles }: AppendRequest): WriteAnswer {
  if (settles !== undefined) connection.sql("delete from streamed where session = ?").run(number) // one step streams at a time
  return done
}

export function checkpoint(connection: Connection, request: CheckpointRequest, isRepeat: boolean): WriteAnswer {
  const { sessionId, epoch, stepId, piece, blocks } = request
  const head = headOf(connection, sessionId)
  if (head === undefined) return refused(unknownSession(sessionId))
  const refusal = refuseWrite(head, epoch)
  if (refusal !== undefined) return refused(refusal)
  if (isRepeat && isPieceStored(connection, head, request)) return done
  connection
    .sql("insert into streamed (session, step_id, piece, hash, blocks) values (?, ?, ?, ?, ?)")
    .run(head.number, stepId, piece, nextHash(stepId, blocks), blocks)
  return done
}

/** The snapshot's hash binds it to the event after which it was taken. */
export function saveSnapshot(connection: Connection, request: SnapshotRequest): WriteAnswer {
  const { sessionId, epoch, seq, value } = request
  const head = headOf(connection, sessionId)
  if (head === undefined) return refused(unknownSession(sessionId))
  const refusal = refuseSnapshot(head, epoch, seq)
  if (refusal !== undefined) return refused(refusal)
  const place = placeOf(head.number, seq)
  const event = connection.sql("select hash from events where place = ?").get(place)
  if (event === undefined) throw new BrokenRow(`event ${seq} is missing`)
  connection
    .sql("insert or replace into snapshots (place, hash, value) values (?, ?, ?)")
    .run(place, nextHash(textIn(event, "hash"), value), value)
  forgetOldSnapshots(connection, head.number)
  return done
}

/** A repeated request that finds no session is done. */
export function remove(connection: Connection, request: RequestOf<"remove">, isRepeat: boolean): WriteAnswer {
  const { sessionId, epoch } = request
  const head = headOf(connection, sessionId)
  if (head === undefined) return isRepeat ? done : refused(unknownSession(sessionId))
  const refusal = refuseWrite(head, epoch)
  if (refusal !== undefined) return refused(refusal)
  const range = [placeOf(head.number, 0), placeOf(head.number + 1, 0)] as const
  connection.sql("delete from events where place > ? and place < ?").run(...range)
  connection.sql("delete from snapshots where place > ? and place < ?").run(...range)
  connection.sql("delete from streamed where session = ?").run(head.number)
  connection.sql("delete from visits where session = ?").run(head.number)
  connection.sql("delete from sessions where number = ?").run(head.number)
  return done
}

function forgetOldSnapshots(connection: Connection, session: number): void {
  connection
    .sql(
      `delete from snapshots where place > ?1 and place < ?2 and place not in
       (select place from snapshots where place > ?1 and place < ?2 order by place desc limit ?3)`,
    )
    .run(placeOf(session, 0), placeOf(session + 1, 0), keptSnapshots)
}

/** Stores the lines and updates the directory. */
function store(
  connection: Connection,
  head: { readonly number: number; readonly hash: string },
  { expectedSeq, lines, at, summary, visits }: CreateRequest | AppendRequest,
): void {
  const insert = connection.sql("insert into events (place, hash, text) values (?, ?, ?)")
  let { hash } = head
  for (const [index, line] of lines.entries()) {
    hash = nextHash(hash, line)
    insert.run(placeOf(head.number, expectedSeq + 1 + index), hash, line)
  }
  connection
    .sql("update sessions set seq = ?, head = ?, updated_at = ?, summary = coalesce(?, summary) where number = ?")
    .run(expectedSeq + lines.length, hash, at, summary ?? null, head.number)
  for (const { visitId, seq } of visits)
    // an id stays with the session that used it first
    connection
      .sql("insert or ignore into visits (visit_id, session, seq) values (?, ?, ?)")
      .run(visitId, head.number, seq)
}

function isStored(
  connection: Connection,
  head: StoredHead | undefined,
  { epoch, expectedSeq, lines }: CreateRequest | AppendRequest,
): boolean {
  if (head?.ownerEpoch !== epoch || head.seq < expectedSeq + lines.length || lines.length === 0) return false
  const stored = connection.sql("select text from events where place = ?")
  return lines.every((line, index) => stored.get(placeOf(head.number, expectedSeq + 1 + index))?.["text"] === line)
}

function isPieceStored(connection: Connection, { number }: StoredHead, { stepId, piece }: CheckpointRequest): boolean {
  const stored = connection.sql("select 1 from streamed where session = ? and step_id = ? and piece = ?")
  return stored.get(number, stepId, piece) !== undefined
}
