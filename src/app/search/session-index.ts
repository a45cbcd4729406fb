// An index of sessions in a database of its own, beside the log: brought up to date before it is used, from the last indexed
// event of each session on, so that appends cost nothing. It can be deleted at any time.
import { chmodSync, existsSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import type { Recorded } from "../../contract/events.ts"
import type { SessionId } from "../../contract/ids.ts"
import type { EventLog, SessionRow } from "../../log/event-log.ts"

/** Called before each session that is behind. What it returns is awaited, so that others may run meanwhile. */
export type Progress = (done: number, all: number) => void | Promise<void>

const PAGE = 500

export abstract class SessionIndex implements Disposable {
  protected readonly db: DatabaseSync

  constructor(file: string, schema: string) {
    this.db = new DatabaseSync(file, { timeout: 10_000 })
    chmodSync(file, 0o600)
    this.db.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL; -- what a power failure takes away is read from the log again
      CREATE TABLE IF NOT EXISTS indexed (sessionId TEXT PRIMARY KEY, seq INTEGER NOT NULL) STRICT;
      ${schema}
    `)
  }

  /** Stores what is indexed of events that follow those stored before, in a transaction. */
  protected abstract store(sessionId: SessionId, events: readonly Recorded[]): void
  protected abstract remove(sessionId: string): void

  [Symbol.dispose](): void {
    this.db.close()
  }

  /** Each page is one transaction with its cursor: an interrupted update continues where it was. */
  async update(log: EventLog, rows: readonly SessionRow[], onProgress: Progress): Promise<void> {
    const indexed = new Map(
      this.db
        .prepare("SELECT sessionId, seq FROM indexed")
        .all()
        .map((row) => [String(row["sessionId"]), Number(row["seq"])]),
    )
    const known = new Set<string>(rows.map(({ sessionId }) => sessionId))
    for (const sessionId of indexed.keys()) if (!known.has(sessionId)) this.forget(sessionId)
    for (const { sessionId, seq } of rows)
      if ((indexed.get(sessionId) ?? 0) > seq && (await isShorter(log, sessionId, indexed.get(sessionId)))) {
        this.forget(sessionId)
        indexed.delete(sessionId)
      }
    const behind = rows.filter(({ sessionId, seq }) => (indexed.get(sessionId) ?? 0) < seq)
    for (const [done, row] of behind.entries()) {
      await onProgress(done, behind.length)
      await this.#updateSession(log, row, indexed.get(row.sessionId) ?? 0)
    }
  }

  forget(sessionId: string): void {
    this.#transaction(() => {
      this.remove(sessionId)
      this.db.prepare("DELETE FROM indexed WHERE sessionId = ?").run(sessionId)
    })
  }

  /** A damaged session is indexed up to the damage. */
  async #updateSession(log: EventLog, { sessionId, seq: newest }: SessionRow, from: number): Promise<void> {
    for (let seq = from; seq < newest;) {
      const page = await log.read(sessionId, seq, PAGE)
      if (page.kind === "refused" || page.value.length === 0) return
      seq = page.value.at(-1)?.seq ?? newest
      this.#storePage(sessionId, page.value, seq)
    }
  }

  #storePage(sessionId: SessionId, events: readonly Recorded[], upTo: number): void {
    this.#transaction(() => {
      const known = this.db.prepare("SELECT seq FROM indexed WHERE sessionId = ?").get(sessionId)
      const since = Number(known?.["seq"] ?? 0) // another process may have been faster
      this.store(
        sessionId,
        events.filter(({ seq }) => seq > since),
      )
      const note =
        "INSERT INTO indexed VALUES (?, ?) ON CONFLICT (sessionId) DO UPDATE SET seq = max(seq, excluded.seq)"
      this.db.prepare(note).run(sessionId, upTo)
    })
  }

  #transaction(work: () => void): void {
    this.db.exec("BEGIN IMMEDIATE")
    try {
      work()
      this.db.exec("COMMIT")
    } catch (fault) {
      this.db.exec("ROLLBACK")
      throw fault
    }
  }
}

/** The log was replaced by an older one. Another process may just have indexed events that were stored meanwhile. */
async function isShorter(log: EventLog, sessionId: SessionId, indexed = 0): Promise<boolean> {
  const found = await log.find(sessionId)
  return found.kind === "ok" && found.value.seq < indexed
}

/** Removes a deleted session from an index, if there is one. */
export function forgetIn(file: string, sessionId: SessionId, open: () => SessionIndex): void {
  if (!existsSync(file)) return
  using index = open()
  index.forget(sessionId)
}
