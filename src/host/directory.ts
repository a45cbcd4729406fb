// Finds a session by id, name, alias, id prefix, or a unique part of its id.
import type { SessionId } from "../contract/ids.ts"
import type { Refusal } from "../contract/refusals.ts"
import type { EventLog, Outcome, SessionRow } from "../log/event-log.ts"
import { readStatus, type SessionStatus } from "../projection/status.ts"

const shortest = 6
/** Sessions of local users. */
const ownOrg = "local"

export async function findSession(log: EventLog, wanted: string): Promise<Outcome<SessionRow>> {
  const exact = await log.find(wanted.toLowerCase())
  if (exact.kind === "ok" || exact.refusal.code === "session.damaged") return exact
  const listed = await log.list()
  if (listed.kind === "refused") return listed
  const rows = candidates(listed.value, wanted)
  const [row, ...others] = rows
  if (row === undefined) return refused({ code: "session.unknown", wanted })
  if (others.length > 0) return refused({ code: "session.ambiguous", wanted, candidates: rows.map(idOf).slice(0, 5) })
  return { kind: "ok", value: row }
}

/** The strictest match wins. */
function candidates(rows: readonly SessionRow[], wanted: string): readonly SessionRow[] {
  const lower = wanted.toLowerCase()
  const ways: readonly ((row: SessionRow) => boolean)[] = [
    (row) => ownStatus(row)?.name === wanted,
    (row) => ownStatus(row)?.aliases.includes(wanted) === true,
    (row) => wanted.length >= shortest && row.sessionId.startsWith(lower),
    (row) => wanted.length >= shortest && row.sessionId.includes(lower),
  ]
  for (const way of ways) {
    const found = rows.filter(way)
    if (found.length > 0) return found
  }
  return []
}

/** Names chosen by visitors do not count. */
function ownStatus({ summary }: SessionRow): SessionStatus | undefined {
  const status = readStatus(summary)
  return status?.org === ownOrg ? status : undefined
}

function idOf(row: SessionRow): SessionId {
  return row.sessionId
}

function refused(refusal: Refusal): Outcome<never> {
  return { kind: "refused", refusal }
}
