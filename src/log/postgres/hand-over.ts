// Hands sessions over from one host to another, in one step.
import type { SessionId } from "../../contract/ids.ts"
import type { Queries } from "../../postgres/database.ts"
import { numberIn, numberOrNothingIn, textIn, textOrNothingIn, type Row } from "../../postgres/row.ts"
import { ok, refused, type Lease, type Outcome } from "../event-log.ts"
import { isHostAlive, unknownSession } from "../fence.ts"
import { canRun, hostRow, replaceOwner, type Judgement } from "./ownership.ts"

/** In a transaction. The sessions must have no other living owner. All are handed over or none. */
export async function handOver(
  queries: Queries,
  { clock, isAlive }: Judgement,
  { epoch }: Lease,
  sessionIds: readonly SessionId[],
  hostId: string,
): Promise<Outcome<void>> {
  const sessions = await queries.query(
    "select session_id, owner_epoch, place from turnhouse.sessions where session_id = any($1::text[]) order by 1 for update",
    [sessionIds],
  )
  const found = new Set(sessions.map((session) => textIn(session, "session_id")))
  const missing = sessionIds.find((sessionId) => !found.has(sessionId))
  if (missing !== undefined) return refused(unknownSession(missing))
  const [heir] = await queries.query(
    `select *, ${clock.sql} as now from turnhouse.hosts where host_id = $2 for update`,
    [clock.now(), hostId],
  )
  if (heir === undefined || !isHostAlive(hostRow(heir), numberIn(heir, "now"), isAlive))
    return refused({ code: "host.gone" })
  const heirEpoch = numberIn(heir, "epoch")
  for (const session of sessions) {
    const owner = numberOrNothingIn(session, "owner_epoch")
    const sessionId = textIn(session, "session_id")
    const isFree = owner === undefined || owner === epoch || owner === heirEpoch
    const refusal =
      misplaced(session, heir) ??
      (isFree ? undefined : await replaceOwner(queries, { clock, isAlive }, owner, sessionId))
    if (refusal !== undefined) return refusal
  }
  // A repeated request may find them open at their new owner.
  await queries.query(
    `update turnhouse.sessions set owner_epoch = $2, handed_over = true
       where session_id = any($1::text[]) and owner_epoch is distinct from $2`,
    [sessionIds, heirEpoch],
  )
  return ok(undefined)
}

function misplaced(session: Row, heir: Row): Outcome<never> | undefined {
  const place = textOrNothingIn(session, "place")
  if (place === undefined || canRun(heir, place)) return undefined
  const sessionId = textIn(session, "session_id")
  return refused({ code: "session.elsewhere", sessionId, place, node: textIn(heir, "node") })
}
