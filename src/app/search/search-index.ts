// The search index of a home: the stored texts of all sessions, in a database of its own. It is brought up to date when a
// search begins, from the last indexed event of each session on, so that appends cost nothing. It can be deleted at any time.
import { chmodSync, existsSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { Recorded, SessionEvent } from "../../contract/events.ts"
import type { SessionId } from "../../contract/ids.ts"
import type { EventLog, SessionRow } from "../../log/event-log.ts"
import { accepted } from "../app-fault.ts"

export interface FoundText {
  readonly sessionId: string
  readonly seq: number
  readonly at: number
  readonly kind: string
  readonly snippet: string
}

/** Characters of one text that are indexed. */
const MAX_TEXT = 100_000
const PAGE = 500
/** Texts that are ranked; the best of each session is shown. */
const MAX_FOUND = 2000
const MAX_WORDS = 20

export class SearchIndex implements Disposable {
  readonly #db: DatabaseSync

  constructor(home: string) {
    const file = join(home, "search.db")
    this.#db = new DatabaseSync(file, { timeout: 10_000 })
    chmodSync(file, 0o600)
    this.#db.exec(`
      PRAGMA journal_mode = WAL;
      CREATE TABLE IF NOT EXISTS indexed (sessionId TEXT PRIMARY KEY, seq INTEGER NOT NULL) STRICT;
      CREATE VIRTUAL TABLE IF NOT EXISTS texts USING fts5(text, sessionId UNINDEXED, seq UNINDEXED, at UNINDEXED, kind UNINDEXED);
    `)
  }

  [Symbol.dispose](): void {
    this.#db.close()
  }

  /** Each page is one transaction with its cursor: an interrupted update continues where it was. */
  async update(
    log: EventLog,
    rows: readonly SessionRow[],
    onProgress: (done: number, all: number) => void,
  ): Promise<void> {
    const indexed = new Map(
      this.#db
        .prepare("SELECT sessionId, seq FROM indexed")
        .all()
        .map((row) => [String(row["sessionId"]), Number(row["seq"])]),
    )
    const known = new Set<string>(rows.map(({ sessionId }) => sessionId))
    for (const sessionId of indexed.keys()) if (!known.has(sessionId)) this.forget(sessionId)
    const behind = rows.filter(({ sessionId, seq }) => (indexed.get(sessionId) ?? 0) < seq)
    for (const [done, row] of behind.entries()) {
      onProgress(done, behind.length)
      await this.#updateSession(log, row, indexed.get(row.sessionId) ?? 0)
    }
  }

  forget(sessionId: string): void {
    this.#transaction(() => {
      this.#db.prepare("DELETE FROM texts WHERE sessionId = ?").run(sessionId)
      this.#db.prepare("DELETE FROM indexed WHERE sessionId = ?").run(sessionId)
    })
  }

  /** Best first. All words must occur; the last one may be the beginning of a word. */
  find(text: string): readonly FoundText[] {
    const words = text
      .split(/\s+/)
      .filter((word) => word !== "")
      .slice(0, MAX_WORDS)
    if (words.length === 0) return []
    const query = `${words.map((word) => `"${word.replaceAll('"', '""')}"`).join(" ")}*`
    const rows = this.#db
      .prepare(
        `SELECT sessionId, seq, at, kind, snippet(texts, 0, '', '', '…', 24) AS snippet
         FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?`,
      )
      .all(query, MAX_FOUND)
    return rows.map((row) => ({
      sessionId: String(row["sessionId"]),
      seq: Number(row["seq"]),
      at: Number(row["at"]),
      kind: String(row["kind"]),
      snippet: String(row["snippet"]),
    }))
  }

  /** A damaged session is searched up to the damage. */
  async #updateSession(log: EventLog, { sessionId, seq: newest }: SessionRow, from: number): Promise<void> {
    for (let seq = from; seq < newest;) {
      const page = await log.read(sessionId, seq, PAGE)
      if (page.kind === "refused" || page.value.length === 0) return
      seq = page.value.at(-1)?.seq ?? newest
      this.#store(sessionId, page.value, seq)
    }
  }

  #store(sessionId: SessionId, events: readonly Recorded[], upTo: number): void {
    this.#transaction(() => {
      const known = this.#db.prepare("SELECT seq FROM indexed WHERE sessionId = ?").get(sessionId)
      const since = Number(known?.["seq"] ?? 0) // another search may have been faster
      const insert = this.#db.prepare("INSERT INTO texts (text, sessionId, seq, at, kind) VALUES (?, ?, ?, ?, ?)")
      for (const { seq, at, event } of events) {
        const found = seq > since ? textOf(event) : undefined
        if (found !== undefined)
          insert.run(found.text.slice(0, MAX_TEXT).toWellFormed(), sessionId, seq, at, found.kind)
      }
      const note =
        "INSERT INTO indexed VALUES (?, ?) ON CONFLICT (sessionId) DO UPDATE SET seq = max(seq, excluded.seq)"
      this.#db.prepare(note).run(sessionId, upTo)
    })
  }

  #transaction(work: () => void): void {
    this.#db.exec("BEGIN IMMEDIATE")
    try {
      work()
      this.#db.exec("COMMIT")
    } catch (fault) {
      this.#db.exec("ROLLBACK")
      throw fault
    }
  }
}

function textOf(event: SessionEvent): { readonly kind: string; readonly text: string } | undefined {
  switch (event.type) {
    case "prompt.admitted":
      return { kind: "prompt", text: event.text }
    case "text.ended":
      return { kind: "answer", text: event.text }
    case "tool.called":
      return { kind: "call", text: `${event.tool} ${JSON.stringify(event.input)}` }
    case "tool.ended":
      return { kind: "output", text: event.output }
    default:
      return undefined
  }
}

/** Removes a deleted session from the index, if there is one. */
export function forgetInSearch(home: string, sessionId: SessionId): void {
  if (!existsSync(join(home, "search.db"))) return
  using index = new SearchIndex(home)
  index.forget(sessionId)
}

export async function searchTexts(
  home: string,
  log: EventLog,
  text: string,
  onProgress: (done: number, all: number) => void,
): Promise<readonly FoundText[]> {
  using index = new SearchIndex(home)
  await index.update(log, accepted(await log.list()).value, onProgress)
  return index.find(text)
}
