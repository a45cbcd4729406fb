// Names all damage of the log, or of one session: walks every chain from its first event to its last. Where the
// directory is damaged too, sessions are found by its index, by the numbers of stored events and by what those say.
import { setImmediate } from "node:timers/promises"
import { decodeEvent } from "../../../contract/stored-event.ts"
import { ok, refused, type Damage, type Outcome } from "../../event-log.ts"
import { unknownSession } from "../../fence.ts"
import type { Connection } from "../connection.ts"
import { findHead, readDirectory, readIndex } from "../directory.ts"
import { damageOrThrow } from "../faults.ts"
import type { HeadRecords } from "./head-records.ts"
import { Inspection } from "./inspect-session.ts"
import { readLine } from "../reads/lines.ts"
import { placeOf, sessionAt } from "../place.ts"
import { numberIn, sessionIdIn } from "../row.ts"

/** Session numbers in a row that may be unreadable before the search for more is given up. */
const patience = 10_000

type NumberedSession = readonly [number: number, sessionId: string]

/** `heads` are those that were noted outside the database. */
export async function inspect(
  connection: Connection,
  heads: HeadRecords | undefined,
  only?: string,
): Promise<Outcome<readonly Damage[]>> {
  const damage: Damage[] = []
  const sessions = await wanted(connection, only)
  const missing = heads?.missing(connection, only) ?? []
  if (sessions.length === 0 && missing.length === 0 && only !== undefined) return refused(unknownSession(only))
  for (const [number, sessionId] of sessions) {
    const inspection = new Inspection(connection, number, sessionId)
    while (inspection.next()) await setImmediate()
    damage.push(...inspection.damage)
  }
  return ok([...damage, ...missing])
}

async function wanted(connection: Connection, only: string | undefined): Promise<readonly NumberedSession[]> {
  const head = only === undefined ? undefined : findHead(connection, only)
  if (head !== undefined && !(head instanceof Error)) return [[head.number, head.sessionId]]
  const sessions = await knownSessions(connection)
  return sessions.filter(([, sessionId]) => only === undefined || sessionId === only)
}

async function knownSessions(connection: Connection): Promise<readonly NumberedSession[]> {
  const sessions = new Map(readIndex(connection))
  for (const row of await readDirectory(connection)) {
    try {
      sessions.set(numberIn(row, "number"), sessionIdIn(row))
    } catch (error) {
      damageOrThrow(error)
    }
  }
  for (let number = nextStored(connection, 1); number !== undefined; number = nextStored(connection, number + 1)) {
    if (!sessions.has(number)) sessions.set(number, nameInEvents(connection, number))
    await setImmediate()
  }
  return [...sessions].toSorted(([one], [other]) => one - other)
}

/** The first session from this number on that has events; over damage it gropes its way, but not for ever. */
function nextStored(connection: Connection, from: number): number | undefined {
  for (let number = from; number < from + patience; number++) {
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

/** A session's first event tells its id. */
function nameInEvents(connection: Connection, number: number): string {
  const first = readLine(connection, number, 1)
  const decoded = first === undefined || first instanceof Error ? undefined : decodeEvent(first.text)
  if (decoded?.kind === "event" && decoded.recorded.event.type === "session.created")
    return decoded.recorded.event.sessionId
  return `(session number ${number})`
}
