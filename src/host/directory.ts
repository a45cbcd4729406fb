// Finds a session by id, name, alias, id prefix, or a unique part of its id.
import type { SessionId } from "../contract/ids.ts"
import type { Refusal } from "../contract/refusals.ts"
import type { SessionLine } from "../contract/views/status.ts"
import type { EventLog, LiveHost, Outcome, SessionRow } from "../log/event-log.ts"
import { readStatus, type SessionStatus } from "../projection/status.ts"

const MIN_PREFIX_LENGTH = 6
/** Sessions of local users. */
const ownOrg = "local"

/** The host of a session, as lists name it. */
export function hostOf({ hostId, role, pid, node }: LiveHost): NonNullable<SessionLine["host"]> {
  return { hostId, role, pid, ...(node === undefined ? {} : { node: node.name }) }
}

export async function findSession(log: EventLog, idOrName: string): Promise<Outcome<SessionRow>> {
  const exact = await log.find(idOrName.toLowerCase())
  if (exact.kind === "ok" || exact.refusal.code === "session.damaged") return exact
  const listed = await log.list()
  return listed.kind === "refused" ? listed : findAmong(listed.value, idOrName, ({ summary }) => readStatus(summary))
}

/** The same in a list that is at hand. */
export function findAmong<Row extends { readonly sessionId: SessionId }>(
  all: readonly Row[],
  idOrName: string,
  statusOf: (row: Row) => SessionStatus | undefined,
): Outcome<Row> {
  const rows = candidates(all, idOrName, statusOf)
  const [row, ...others] = rows
  if (row === undefined) return refused({ code: "session.unknown", wanted: idOrName })
  if (others.length > 0)
    return refused({
      code: "session.ambiguous",
      wanted: idOrName,
      candidates: rows.map(({ sessionId }) => sessionId).slice(0, 5),
    })
  return { kind: "ok", value: row }
}

/** The strictest match wins. */
function candidates<Row extends { readonly sessionId: SessionId }>(
  rows: readonly Row[],
  idOrName: string,
  statusOf: (row: Row) => SessionStatus | undefined,
): readonly Row[] {
  const lower = idOrName.toLowerCase()
  const rules: readonly ((row: Row) => boolean)[] = [
    (row) => ownStatus(statusOf(row))?.name === idOrName,
    (row) => ownStatus(statusOf(row))?.aliases.includes(idOrName) === true,
    (row) => row.sessionId === lower,
    (row) => idOrName.length >= MIN_PREFIX_LENGTH && row.sessionId.startsWith(lower),
    (row) => idOrName.length >= MIN_PREFIX_LENGTH && row.sessionId.includes(lower),
  ]
  for (const rule of rules) {
    const found = rows.filter(rule)
    if (found.length > 0) return found
  }
  return []
}

/** Names chosen by visitors do not count. */
function ownStatus(status: SessionStatus | undefined): SessionStatus | undefined {
  return status?.org === ownOrg ? status : undefined
}

function refused(refusal: Refusal): Outcome<never> {
  return { kind: "refused", refusal }
}
