// Compares what is stored with the heads that were noted outside the database. The notes must be read before the
// database: a note is written only after its commit, so at any later moment the database is at least as far.
import type { Damage } from "../../event-log.ts"
import type { Head } from "../../heads/head-record.ts"
import type { Connection } from "../connection.ts"
import { findHead, type StoredHead } from "../directory.ts"
import { readLine } from "../reads/lines.ts"

/** Nothing when the database has what was noted, or when what is wrong is found by reading the session itself. */
export function missingSince(connection: Connection, noted: Head): Damage | undefined {
  const stored = findHead(connection, noted.sessionId)
  if (stored instanceof Error) return undefined
  if (stored === undefined) return lost(noted, 1, `the whole session is missing: ${countOf(noted.seq)} acknowledged`)
  if (stored.seq < noted.seq)
    return lost(
      noted,
      stored.seq + 1,
      `${countOf(noted.seq - stored.seq)} acknowledged from here on and cannot be found`,
    )
  const hash = hashAt(connection, stored, noted.seq)
  if (hash === undefined || hash === noted.hash) return undefined
  return lost(noted, noted.seq, "it is not the event that was acknowledged under this number")
}

function lost({ sessionId }: Head, seq: number, what: string): Damage {
  return { sessionId, seq, what }
}

function countOf(events: number): string {
  return events === 1 ? "1 event was" : `${events} events were`
}

function hashAt(connection: Connection, stored: StoredHead, seq: number): string | undefined {
  if (stored.seq === seq) return stored.hash
  const line = readLine(connection, stored.number, seq)
  return line instanceof Error ? undefined : line?.hash
}
