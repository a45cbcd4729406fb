// Copies sessions from or to the database of a home. The caller holds the place of the log writer, so that nothing else
// writes. Heads are recorded outside the database only after their session is committed and verified.
import { existsSync } from "node:fs"
import { version as ownRelease } from "../../program/program-files.ts"
import { ok, refused, type Damage, type LiveHost, type Outcome, type StoredLine } from "../event-log.ts"
import { isHostAlive, unknownSession } from "../fence.ts"
import { HeadFile, headFilePath } from "../heads/head-file.ts"
import { HeadRecorder } from "../heads/head-recorder.ts"
import type { Inventory, LogCopy, SessionCopy, SessionRecord, StreamedPiece } from "../log-copy.ts"
import { isAlive, isRunning } from "../process-identity.ts"
import { damaged, type ChainHead, type Page } from "../verified-read.ts"
import { Connection, openDatabase } from "./connection.ts"
import { HeadRecords } from "./damage/head-records.ts"
import { knownSessions } from "./damage/inspect.ts"
import { findHead } from "./directory.ts"
import { BrokenRow, damageOrThrow, unavailable } from "./faults.ts"
import { headSource } from "./head-source.ts"
import { highestSeq, placeOf } from "./place.ts"
import { readPage } from "./reads/lines.ts"
import { liveHosts } from "./reads/listing.ts"
import { openEmpty } from "./read-only.ts"
import { noteRelease } from "./release-note.ts"
import { numberIn, numberOrNothingIn, textIn, type Row } from "./row.ts"

export interface SqliteCopyOptions {
  readonly path: string
  /** Keeps all other writers out, and returns a function that lets them in. */
  readonly holdWriters: () => Promise<() => void>
  /** Creates no file. */
  readonly readsOnly: boolean
  readonly headKey: Uint8Array | undefined
  readonly warn: (message: string) => void
}

/** Heads that are recorded with one sync. */
const HEADS_AT_ONCE = 200
const LEFT_OPEN_EPOCH = 0

export class SqliteCopy implements LogCopy {
  readonly name: string
  readonly #options: SqliteCopyOptions
  readonly #connection: Connection
  #confirmed: string[] = []
  #letWritersIn: (() => void) | undefined

  constructor(options: SqliteCopyOptions) {
    this.name = options.path
    this.#options = options
    const { path, readsOnly, warn } = options
    this.#connection = new Connection(() => (readsOnly && !existsSync(path) ? openEmpty() : openDatabase(path, warn)))
  }

  async hold(): Promise<Outcome<readonly LiveHost[]>> {
    return this.#try(async () => {
      const living = this.#living()
      if (living.length > 0) return ok(living) // their writes must not be refused
      this.#letWritersIn = await this.#options.holdWriters()
      return ok(this.#living())
    })
  }

  async isHeld(): Promise<Outcome<boolean>> {
    return ok(this.#letWritersIn !== undefined)
  }

  inventory(): Promise<Outcome<Inventory>> {
    return this.#try(async () => {
      const heads: ChainHead[] = []
      const damage: Damage[] = []
      for (const [, sessionId] of await knownSessions(this.#connection)) {
        const head = findHead(this.#connection, sessionId)
        if (head === undefined) damage.push({ sessionId, seq: 0, what: "its directory entry is missing" })
        else if (head instanceof Error) damage.push({ sessionId, seq: 0, what: head.message })
        else heads.push({ sessionId, seq: head.seq, hash: head.hash })
      }
      return ok({ heads, damage })
    })
  }

  missing(): Promise<Outcome<readonly Damage[]>> {
    const { path, headKey } = this.#options
    return this.#try(async () =>
      ok(headKey === undefined ? [] : new HeadRecords(path, headKey).missing(this.#connection)),
    )
  }

  record(sessionId: string): Promise<Outcome<SessionRecord>> {
    return this.#try(async () => {
      try {
        const row = this.#connection.sql("select * from sessions where session_id = ?").get(sessionId)
        return row === undefined ? refused(unknownSession(sessionId)) : ok(this.#recordIn(row))
      } catch (error) {
        return damaged(sessionId, 0, `its directory entry cannot be read (${damageOrThrow(error).message})`)
      }
    })
  }

  async page(sessionId: string, afterSeq: number, upTo: number): Promise<Page> {
    const head = findHead(this.#connection, sessionId)
    if (head === undefined) return { lines: [], problem: "it is missing" }
    if (head instanceof Error) return { lines: [], problem: head.message }
    return readPage(this.#connection, head.number, afterSeq, upTo)
  }

  store(session: SessionCopy, pages: AsyncIterable<Outcome<readonly StoredLine[]>>): Promise<Outcome<void>> {
    const { sessionId, seq } = session.head
    if (seq > highestSeq) return Promise.resolve(damaged(sessionId, highestSeq, "SQLite stores no more events"))
    return this.#try(async () => {
      this.#connection.exec("begin immediate")
      try {
        const outcome = await this.#storeAll(session, pages)
        this.#connection.exec(outcome.kind === "ok" ? "commit" : "rollback")
        return outcome
      } catch (error) {
        this.#connection.discard() // rolls back
        throw error
      }
    })
  }

  confirm(sessionId: string): void {
    this.#confirmed.push(sessionId)
    if (this.#confirmed.length >= HEADS_AT_ONCE) this.#recordHeads()
  }

  async close(): Promise<void> {
    try {
      this.#recordHeads()
      this.#connection.close()
    } finally {
      this.#letWritersIn?.()
      this.#letWritersIn = undefined
    }
  }

  async #try<Value>(work: () => Promise<Outcome<Value>>): Promise<Outcome<Value>> {
    try {
      return await work()
    } catch (error) {
      return refused(unavailable(error, this.name))
    }
  }

  /** Also those that run and have lost their lease. */
  #living(): readonly LiveHost[] {
    return liveHosts(this.#connection, (host) => isHostAlive(host, Date.now(), isAlive) || isRunning(host))
  }

  #recordIn(row: Row): SessionRecord {
    const session = numberIn(row, "number")
    const visits = this.#connection.sql("select visit_id, seq from visits where session = ?").all(session)
    const streamed = this.#connection.sql("select * from streamed where session = ? order by id").all(session)
    return {
      createdAt: numberIn(row, "created_at"),
      updatedAt: numberIn(row, "updated_at"),
      summary: printableIn(row, "summary"),
      org: row["org"] === null ? undefined : printableIn(row, "org"),
      owner: row["owner"] === null ? undefined : printableIn(row, "owner"),
      isLeftOpen: numberOrNothingIn(row, "owner_epoch") !== undefined,
      visits: visits.map((visit) => ({ visitId: printableIn(visit, "visit_id"), seq: numberIn(visit, "seq") })),
      streamed: streamed.map(pieceIn),
    }
  }

  async #storeAll(session: SessionCopy, pages: AsyncIterable<Outcome<readonly StoredLine[]>>): Promise<Outcome<void>> {
    const number = this.#storeRow(session)
    const insert = this.#connection.sql("insert into events (place, hash, text) values (?, ?, ?)")
    for await (const page of pages) {
      if (page.kind === "refused") return page
      for (const { seq, hash, text } of page.value) insert.run(placeOf(number, seq), hash, text)
    }
    this.#storeBesides(number, session.record)
    return ok(undefined)
  }

  #storeRow({ head, record, afterSeq }: SessionCopy): number {
    const { sessionId, seq, hash } = head
    const { createdAt, updatedAt, summary, org = null, owner = null, isLeftOpen } = record
    const values = [Math.trunc(updatedAt), seq, hash, isLeftOpen ? LEFT_OPEN_EPOCH : null, summary] as const
    if (afterSeq > 0) {
      const known = this.#connection.sql(
        "update sessions set updated_at = ?, seq = ?, head = ?, owner_epoch = ?, summary = ? where session_id = ? and seq = ? returning number",
      )
      return numberIn(known.get(...values, sessionId, afterSeq) ?? {}, "number")
    }
    const { lastInsertRowid } = this.#connection
      .sql(
        `insert into sessions (updated_at, seq, head, owner_epoch, summary, session_id, created_at, org, owner)
         values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(...values, sessionId, Math.trunc(createdAt), org, owner)
    return Number(lastInsertRowid)
  }

  #storeBesides(number: number, { visits, streamed }: SessionRecord): void {
    const visit = this.#connection.sql("insert or ignore into visits (visit_id, session, seq) values (?, ?, ?)")
    for (const { visitId, seq } of visits) visit.run(visitId, number, seq)
    this.#connection.sql("delete from streamed where session = ?").run(number)
    const piece = this.#connection.sql(
      "insert into streamed (session, step_id, piece, hash, blocks) values (?, ?, ?, ?, ?)",
    )
    for (const { stepId, piece: id, hash, blocks } of streamed) piece.run(number, stepId, id, hash, blocks)
  }

  /** Outside of a transaction: the file must never be ahead of the database. */
  #recordHeads(): void {
    const { path, headKey, warn } = this.#options
    const sessionIds = this.#confirmed
    this.#confirmed = []
    if (headKey === undefined || sessionIds.length === 0) return
    const recorder = new HeadRecorder(new HeadFile(headFilePath(path), headKey), headSource(this.#connection), warn)
    for (const sessionId of sessionIds) recorder.note(sessionId, false)
    recorder.close()
    noteRelease(path, ownRelease())
  }
}

/** PostgreSQL has no NUL in a text, and this program stores none. */
function printableIn(row: Row, column: string): string {
  const text = textIn(row, column)
  if (text.includes("\0")) throw new BrokenRow(`its ${column} was altered`)
  return text
}

function pieceIn(row: Row): StreamedPiece {
  const [stepId, piece] = [printableIn(row, "step_id"), printableIn(row, "piece")]
  return { stepId, piece, hash: printableIn(row, "hash"), blocks: printableIn(row, "blocks") }
}
