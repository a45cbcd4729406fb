// Finds all damage of the log, or of one session: checks every chain from its first event to its last. If the directory is
// damaged, too, sessions are found by its index and by the stored events.
import { setImmediate } from "node:timers/promises"
import { decodeEvent } from "../../../contract/stored-event.ts"
import { ok, refused, type Damage, type Outcome } from "../../event-log.ts"
import { unknownSession } from "../../fence.ts"
import type { Connection } from "../connection.ts"
import { findHead, readDirectory, readIndex } from "../directory.ts"
import { damageOrThrow, unlessDamaged } from "../faults.ts"
import type { HeadRecords } from "./head-records.ts"
import { Inspection } from "./inspect-session.ts"
import { readLine } from "../reads/lines.ts"
import { placeOf, sessionAt } from "../place.ts"
import { numberIn, sessionIdIn } from "../row.ts"

/** Consecutive unreadable session numbers after which the search ends. */
const MAX_UNREADABLE = 10_000

export type NumberedSession = readonly [number: number, sessionId: string]

/** `heads` are those recorded outside the database. */
export async function inspect(
  connection: Connection,
  heads: HeadRecords | undefined,
  only?: string,
): Promise<Outcome<readonly Damage[]>> {
  const damage: Damage[] = []
  const sessions = await selectSessions(connection, only)
  const missing = heads?.missing(connection, only) ?? []
  if (sessions.length === 0 && missing.length === 0 && only !== undefined) return refused(unknownSession(only))
  for (const [number, sessionId] of sessions) {
    const inspection = new Inspection(connection, number, sessionId)
    while (inspection.next()) await setImmediate()
    damage.push(...inspection.damage)
  }
  return ok([...damage, ...missing])
}

async function selectSessions(connection: Connection, only: string | undefined): Promise<readonly NumberedSession[]> {
  const head = only === undefined ? undefined : findHead(connection, only)
  if (head !== undefined && !(head instanceof Error)) return [[head.number, head.sessionId]]
  const sessions = await knownSessions(connection)
  return sessions.filter(([, sessionId]) => only === undefined || sessionId === only)
}

/** By number, also those whose directory entry is damaged. */
export async function knownSessions(connection: Connection): Promise<readonly NumberedSession[]> {
  const sessions = new Map(readIndex(connection))
  for (const row of await readDirectory(connection))
    unlessDamaged(() => sessions.set(numberIn(row, "number"), sessionIdIn(row)))
  for (let number = nextStored(connection, 1); number !== undefined; number = nextStored(connection, number + 1)) {
    if (!sessions.has(number)) sessions.set(number, nameInEvents(connection, number))
    await setImmediate()
  }
  return [...sessions].toSorted(([one], [other]) => one - other)
}

/** The first session from this number on that has events; skips damage. */
function nextStored(connection: Connection, from: number): number | undefined {
  for (let number = from; number < from + MAX_UNREADABLE; number++) {
    try {
      const row = connection.sql("select place from events where place > ? limit 1").get(placeOf(number, 0))
      if (row === undefined) return undefined
      const found = sessionAt(numberIn(row, "place"))
      if (found >= number) return found
    } catch (error) {
      damageOrThrow(error)
    }
  }
  return undefined
}

/** From the session's first event. */
function nameInEvents(connection: Connection, number: number): string {
  const first = readLine(connection, number, 1)
  const decoded = first === undefined || first instanceof Error ? undefined : decodeEvent(first.text)
  if (decoded?.kind === "event" && decoded.recorded.event.type === "session.created")
    return decoded.recorded.event.sessionId
  return `(session number ${number})`
}
