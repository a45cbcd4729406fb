// The log that is damaged, and what is known of it: the events of its sessions, and where transactions end in the
// write-ahead log.
import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync } from "node:fs"
import { join } from "node:path"
import type { SessionId } from "../../../../contract/ids.ts"
import { HeadFile, headFilePath } from "../../../../log/heads/head-file.ts"
import type { StoredLine } from "../../../../log/event-log.ts"
import { openSqliteLog } from "../../../../log/sqlite/sqlite-log.ts"
import { headKey, homeKey } from "../../../../secrets/home-key.ts"
import { accepted } from "../../../app-fault.ts"

export const database = "turnhouse.db"
export const wal = `${database}-wal`
export const heads = `${database}-heads`
export const key = "secret.key"
export const files = [database, wal, heads, key] as const
export type LogFile = (typeof files)[number]

export const MAX_EVENTS = 100_000

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
const PAGE_BYTES = 4096
const FRAME_BYTES = FRAME_HEADER_BYTES + PAGE_BYTES

export interface KnownSession {
  readonly sessionId: SessionId
  readonly lines: readonly StoredLine[]
  /** The newest event that is recorded outside of the database. */
  readonly noted: number
}

/** The number of the newest event of each session. */
export type Newest = ReadonlyMap<SessionId, number>

export class Specimen {
  readonly folder: string
  readonly sessions: readonly KnownSession[]
  readonly #scratch: string
  /** Bytes of the write-ahead log at which transactions end, in order. */
  readonly #commits: readonly number[]
  readonly #newestAt = new Map<number, Newest>()

  private constructor(folder: string, scratch: string, sessions: readonly KnownSession[]) {
    this.folder = folder
    this.sessions = sessions
    this.#scratch = scratch
    this.#commits = commitsIn(readFileSync(join(folder, wal)))
  }

  static async of(folder: string, scratch: string, ids: readonly SessionId[]): Promise<Specimen> {
    const lines = await linesIn(copied(folder, scratch), ids)
    const file = new HeadFile(headFilePath(join(folder, database)), headKey(homeKey(folder)))
    const sessions = ids.map((sessionId) => ({
      sessionId,
      lines: lines.get(sessionId) ?? [],
      noted: file.find(sessionId)?.seq ?? 0,
    }))
    return new Specimen(folder, scratch, sessions)
  }

  sizeOf(file: LogFile): number {
    return statSync(join(this.folder, file)).size
  }

  get all(): Newest {
    return new Map(this.sessions.map(({ sessionId, lines }) => [sessionId, lines.length]))
  }

  /** What is left when the write-ahead log is intact up to this byte. */
  async newestAt(byte: number): Promise<Newest> {
    const end = this.#commits.findLast((one) => one <= byte) ?? 0
    const known = this.#newestAt.get(end)
    if (known !== undefined) return known
    const folder = copied(this.folder, this.#scratch)
    truncateSync(join(folder, wal), end)
    const lines = await linesIn(folder, [...this.all.keys()])
    const newest = new Map([...lines].map(([sessionId, { length }]) => [sessionId, length]))
    this.#newestAt.set(end, newest)
    return newest
  }

  /** The first byte of what is checked together with this one. */
  startOfFrame(byte: number): number {
    return byte < HEADER_BYTES ? 0 : byte - ((byte - HEADER_BYTES) % FRAME_BYTES)
  }
}

/** Replaces what is in the folder. */
export function copied(from: string, to: string): string {
  rmSync(to, { recursive: true, force: true })
  mkdirSync(to, { mode: 0o700 })
  for (const name of files) copyFileSync(join(from, name), join(to, name))
  return to
}

/** Without the heads, so that a session of which the newest events are cut off is read. */
async function linesIn(
  folder: string,
  ids: readonly SessionId[],
): Promise<ReadonlyMap<SessionId, readonly StoredLine[]>> {
  const log = accepted(openSqliteLog({ path: join(folder, database) })).value
  const lines = new Map<SessionId, readonly StoredLine[]>()
  for (const sessionId of ids) {
    const read = await log.readLines(sessionId, 0, MAX_EVENTS)
    lines.set(sessionId, read.kind === "ok" ? read.value : [])
  }
  await log.close()
  return lines
}

function commitsIn(bytes: Buffer): readonly number[] {
  const commits: number[] = []
  for (let at = HEADER_BYTES; at + FRAME_BYTES <= bytes.length; at += FRAME_BYTES)
    if (bytes.readUInt32BE(at + 4) !== 0) commits.push(at + FRAME_BYTES)
  return commits
}
