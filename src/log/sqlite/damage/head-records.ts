// Compares the database with the heads recorded outside it, checks the files beside the database, and stores the user's
// decision to continue without what is missing. Records must be read before the database: a record is written only after
// its commit, so the database is never behind it.
import { accessSync, constants } from "node:fs"
import type { Damage } from "../../event-log.ts"
import { HeadFile, headFilePath, type HeadFileState } from "../../heads/head-file.ts"
import type { FileHeader, Head, HeadRecord } from "../../heads/head-record.ts"
import type { Connection } from "../connection.ts"
import { headSource } from "../head-source.ts"
import { damagedWals } from "./wal-evidence.ts"
import { findHead, type StoredHead } from "../directory.ts"
import { readLine } from "../reads/lines.ts"

/** A problem of the home as a whole; `remedy` says what to do. */
export interface LogFinding {
  readonly what: string
  readonly remedy: string
}

/** What the comparison with the recorded heads cannot detect. */
export const uncovered =
  "events that were acknowledged within 1 s before a crash and were then lost by damage to the write-ahead log"

const acceptAll = "'turnhouse verify --accept-loss all' accepts this"

export class HeadRecords {
  readonly #file: HeadFile

  constructor(databasePath: string, key: Uint8Array) {
    this.#file = new HeadFile(headFilePath(databasePath), key)
  }

  findings(connection: Connection): readonly LogFinding[] {
    return fileFindings(connection, this.#file.path, this.#file.read())
  }

  /** What is missing of one session, or of all. A session that was deleted meanwhile is not missing. */
  missing(connection: Connection, only?: string): readonly Damage[] {
    return this.#recorded(only).flatMap((recorded) => {
      const missing = missingSince(connection, recorded)
      return missing === undefined || this.#file.find(recorded.sessionId) === undefined ? [] : [missing]
    })
  }

  /** Records what is stored now as the head of one session, or of all. Returns the accepted damage. */
  accept(connection: Connection, only?: string): readonly Damage[] {
    const accepted = this.missing(connection, only)
    const source = headSource(connection)
    if (this.#file.openedId() === undefined) {
      if (only === undefined && source.knownFileId() !== undefined) this.#file.create("accepted", source.allHeads())
      return accepted
    }
    const records = accepted.flatMap(({ sessionId }): readonly HeadRecord[] => {
      const head = source.headOf(sessionId)
      const removed = { kind: "removed", sessionId } as const
      return head === undefined ? [removed] : [removed, { kind: "head", ...head }]
    })
    this.#file.appendSync(records)
    if (only === undefined) this.#file.compact("accepted")
    this.#file.close()
    return accepted
  }

  #recorded(only: string | undefined): readonly Head[] {
    if (only !== undefined) return [this.#file.find(only)].filter((head) => head !== undefined)
    const state = this.#file.read()
    return state.kind === "missing" ? [] : Array.from(state.heads.values())
  }
}

export function findingsOf(
  connection: Connection,
  databasePath: string,
  heads: HeadRecords | undefined,
): readonly LogFinding[] {
  const copies = damagedWals(databasePath).map((path) => ({
    what: `a damaged write-ahead log was found and copied to ${path}`,
    remedy: `'turnhouse verify' names the events that are missing. ${acceptAll}`,
  }))
  return [...copies, ...(heads?.findings(connection) ?? [])]
}

function fileFindings(connection: Connection, path: string, state: HeadFileState): readonly LogFinding[] {
  if (state.kind === "missing") {
    if (headSource(connection).knownFileId() === undefined) return []
    return [
      {
        what: `${path} is missing: lost events cannot be detected`,
        remedy: "restore it from a backup of the home; otherwise the next write creates it from what is stored",
      },
    ]
  }
  const { header, invalidLines } = state
  if (header === undefined)
    return [
      {
        what: `${path} was not written with the key of this home (secret.key)`,
        remedy: `restore both from one backup; otherwise the next write replaces it. ${acceptAll}`,
      },
    ]
  return [...replacedFindings(path, header), ...invalidFindings(path, invalidLines), ...accessFindings(path)]
}

function replacedFindings(path: string, { origin, createdAt }: FileHeader): readonly LogFinding[] {
  if (origin === "new" || origin === "accepted") return []
  const before = origin === "replaced-missing" ? "was missing" : "was not written with the key of this home"
  const time = new Date(createdAt).toISOString()
  return [
    {
      what: `${path} ${before} and was created again at ${time}: earlier losses cannot be detected`,
      remedy: acceptAll,
    },
  ]
}

function invalidFindings(path: string, lines: readonly number[]): readonly LogFinding[] {
  if (lines.length === 0) return []
  const where = lines.length === 1 ? `line ${lines[0]}` : `${lines.length} lines, the first is line ${lines[0]},`
  return [
    {
      what: `${path}: ${where} not written with the key of this home, so damaged or forged`,
      remedy: `compare the sessions with a backup. ${acceptAll}`,
    },
  ]
}

/** The writer process has no terminal for its warnings. */
function accessFindings(path: string): readonly LogFinding[] {
  try {
    accessSync(path, constants.R_OK | constants.W_OK)
    return []
  } catch {
    return [{ what: `${path} cannot be written: new events are not recorded`, remedy: "check its owner and mode" }]
  }
}

/** Undefined if nothing is missing, or if reading the session itself finds the damage. */
function missingSince(connection: Connection, { sessionId, seq, hash }: Head): Damage | undefined {
  const stored = findHead(connection, sessionId)
  if (stored instanceof Error) return undefined
  if (stored === undefined)
    return { sessionId, seq: 1, what: `the whole session is missing: ${countOf(seq)} acknowledged` }
  if (stored.seq < seq) {
    const what = `${countOf(seq - stored.seq)} acknowledged from here on and cannot be found`
    return { sessionId, seq: stored.seq + 1, what }
  }
  const found = hashAt(connection, stored, seq)
  if (found === undefined || found === hash) return undefined
  return { sessionId, seq, what: "it is not the event that was acknowledged under this number" }
}

function countOf(events: number): string {
  return events === 1 ? "1 event was" : `${events} events were`
}

function hashAt(connection: Connection, stored: StoredHead, seq: number): string | undefined {
  if (stored.seq === seq) return stored.hash
  const line = readLine(connection, stored.number, seq)
  return line instanceof Error ? undefined : line?.hash
}
