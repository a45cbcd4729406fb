// The noted heads for those who read the log: what is missing compared with them, what is wrong with the files beside
// the database, and the user's decision to continue without what is missing.
import { accessSync, constants } from "node:fs"
import type { Damage } from "../../event-log.ts"
import { HeadFile, headFilePath, type HeadFileState } from "../../heads/head-file.ts"
import type { FileHeader, Head, HeadRecord } from "../../heads/head-record.ts"
import type { Connection } from "../connection.ts"
import { headSource, knownFileId } from "../head-source.ts"
import { damagedWals } from "./wal-evidence.ts"
import { findHead, type StoredHead } from "../directory.ts"
import { readLine } from "../reads/lines.ts"

/** About the home as a whole; `remedy` says what to do. */
export interface LogFinding {
  readonly what: string
  readonly remedy: string
}

/** What the comparison with the noted heads cannot notice. */
export const uncovered =
  "events that were acknowledged within 1 s before a crash and were then lost by damage to the write-ahead log"

const acceptAll = "'turnhouse verify --accept-loss all' accepts this"

export class HeadRecords {
  readonly #file: HeadFile

  constructor(databasePath: string, key: Uint8Array) {
    this.#file = new HeadFile(headFilePath(databasePath), key)
  }

  get path(): string {
    return this.#file.path
  }

  state(): HeadFileState {
    return this.#file.read()
  }

  /** What is missing of one session, or of all. A session that is deleted at this moment is not missing. */
  missing(connection: Connection, only?: string): readonly Damage[] {
    return this.#noted(only).flatMap((noted) => {
      const missing = missingSince(connection, noted)
      return missing === undefined || this.#file.find(noted.sessionId) === undefined ? [] : [missing]
    })
  }

  /** What is stored now counts as the head of one session, or of all. Returns what was accepted. */
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

  #noted(only: string | undefined): readonly Head[] {
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
  return heads === undefined ? copies : [...copies, ...fileFindings(connection, heads)]
}

function fileFindings(connection: Connection, heads: HeadRecords): readonly LogFinding[] {
  const { path } = heads
  const state = heads.state()
  if (state.kind === "missing") {
    if (knownFileId(connection) === undefined) return []
    return [
      {
        what: `${path} is missing: acknowledged events that are lost cannot be noticed`,
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
      what: `${path} ${before} and was created anew at ${time}: what was lost before that cannot be noticed`,
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

/** The process that writes it has no terminal on which to complain. */
function accessFindings(path: string): readonly LogFinding[] {
  try {
    accessSync(path, constants.R_OK | constants.W_OK)
    return []
  } catch {
    return [{ what: `${path} cannot be written: new events are not noted`, remedy: "check who owns it and its mode" }]
  }
}

/** Nothing when the database has what was noted, or when what is wrong is found by reading the session itself. */
function missingSince(connection: Connection, noted: Head): Damage | undefined {
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
