// Stores the newest text of many streaming sessions with one statement. A piece that is stored already is not stored again.
import { randomUUID } from "node:crypto"
import type { SessionId } from "../../contract/ids.ts"
import type { Queries } from "../../postgres/database.ts"
import { textIn } from "../../postgres/row.ts"
import { nextHash } from "../chain.ts"
import { ok, refused, type Outcome, type StreamedStep } from "../event-log.ts"
import { refuseWrite, unknownSession } from "../fence.ts"
import { readHeads } from "./append-batch.ts"

export interface CheckpointRequest {
  readonly sessionId: SessionId
  readonly epoch: number
  readonly stepId: string
  readonly piece: string
  /** JSON. */
  readonly blocks: string
}

const statement = `
  insert into turnhouse.streamed (session, step_id, piece, hash, blocks)
    select s.number, r.step_id, r.piece, r.hash, r.blocks
    from unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[])
      with ordinality as r (session_id, epoch, step_id, piece, hash, blocks, place)
    join turnhouse.sessions s on s.session_id = r.session_id and s.owner_epoch = r.epoch
    order by r.place
    on conflict (session, piece) do nothing
    returning piece`

export function checkpointOf(sessionId: SessionId, epoch: number, { stepId, blocks }: StreamedStep): CheckpointRequest {
  return { sessionId, epoch, stepId, piece: randomUUID(), blocks: JSON.stringify(blocks) }
}

export async function checkpointAll(
  queries: Queries,
  requests: readonly CheckpointRequest[],
): Promise<readonly Outcome<void>[]> {
  const rows = await queries.query(statement, [
    requests.map(({ sessionId }) => sessionId),
    requests.map(({ epoch }) => epoch),
    requests.map(({ stepId }) => stepId),
    requests.map(({ piece }) => piece),
    requests.map(({ stepId, blocks }) => nextHash(stepId, blocks)),
    requests.map(({ blocks }) => blocks),
  ])
  const stored = new Set(rows.map((row) => textIn(row, "piece")))
  const missing = requests.filter(({ piece }) => !stored.has(piece)).map(({ sessionId }) => sessionId)
  if (missing.length === 0) return requests.map(() => ok(undefined))
  const heads = await readHeads(queries, missing)
  return requests.map(({ sessionId, epoch, piece }) => {
    if (stored.has(piece)) return ok(undefined)
    const head = heads.get(sessionId)
    const refusal = head === undefined ? unknownSession(sessionId) : refuseWrite(head, epoch)
    return refusal === undefined ? ok(undefined) : refused(refusal) // of its owner: an earlier attempt has stored it
  })
}
