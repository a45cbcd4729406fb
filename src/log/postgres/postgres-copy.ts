// Copies sessions from or to a database of PostgreSQL. While it holds the database, it is its only host: hosts that start are
// refused, and every transaction checks that its lease was not lost.
import { limits } from "../../contract/limits.ts"
import { Database, type Queries } from "../../postgres/database.ts"
import { migrate } from "../../postgres/migrate.ts"
import { numberIn, numberOrNothingIn, textIn, textOrNothingIn, type Row } from "../../postgres/row.ts"
import {
  ok,
  refused,
  type Damage,
  type HostIdentity,
  type Lease,
  type LiveHost,
  type Outcome,
  type Refused,
  type StoredLine,
} from "../event-log.ts"
import { isHostAlive, unknownSession } from "../fence.ts"
import type { Inventory, LogCopy, SessionCopy, SessionRecord, StreamedPiece } from "../log-copy.ts"
import { isAlive, isRunning } from "../process-identity.ts"
import type { Page } from "../verified-read.ts"
import { readHeads } from "./append-batch.ts"
import { unavailable } from "./log-database.ts"
import { clockOf, hostRow, register, registrations, releaseHost, renew } from "./ownership.ts"
import { LEFT_OPEN_EPOCH, logSteps } from "./schema.ts"

export interface PostgresCopyOptions {
  readonly url: string
  /** Its role is `MIGRATION_ROLE`. */
  readonly host: HostIdentity
  /** Changes nothing in the database. */
  readonly readsOnly: boolean
  /** Runs after the tables exist and before the first use. */
  readonly prepare?: (database: Database) => Promise<void>
}

const PAGE_ROWS = 500
/** A page ends with the event that reaches this. */
const PAGE_CHARACTERS = 1024 * 1024
const STATEMENT_MS = 30_000

const judgement = { clock: clockOf(undefined), isAlive }

export class PostgresCopy implements LogCopy {
  readonly #options: PostgresCopyOptions
  readonly #database: Database
  #lease: Lease | undefined
  #renewals: NodeJS.Timeout | undefined

  constructor(options: PostgresCopyOptions) {
    this.#options = options
    this.#database = new Database({ url: options.url, timeoutMs: STATEMENT_MS, timeoutOf: "statement" })
  }

  get name(): string {
    return this.#database.server
  }

  /** Whether the database has a log. */
  exists(): Promise<Outcome<boolean>> {
    return this.#try(async () => {
      const [row] = await this.#database.query("select to_regclass('turnhouse.sessions') is not null as there")
      return ok(row?.["there"] === true)
    })
  }

  hold(): Promise<Outcome<readonly LiveHost[]>> {
    return this.#try(async () => {
      const { readsOnly, prepare } = this.#options
      const there = await this.exists()
      if (there.kind === "refused") return there
      if (readsOnly && !there.value) return ok([])
      await migrate(this.#database, "log", logSteps)
      await prepare?.(this.#database)
      return readsOnly ? ok(await livingHosts(this.#database)) : this.#register()
    })
  }

  isHeld(): Promise<Outcome<boolean>> {
    return this.#try(async () => {
      if (this.#lease === undefined) return ok(this.#options.readsOnly)
      return renew(this.#database, judgement.clock, this.#lease)
    })
  }

  inventory(): Promise<Outcome<Inventory>> {
    return this.#try(async () => {
      const there = await this.exists()
      if (there.kind === "refused") return there
      if (!there.value) return ok({ heads: [], damage: [] })
      const rows = await this.#database.query("select session_id, seq, head from turnhouse.sessions order by number")
      const heads = rows.map((row) => ({
        sessionId: textIn(row, "session_id"),
        seq: numberIn(row, "seq"),
        hash: textIn(row, "head"),
      }))
      return ok({ heads, damage: [] })
    })
  }

  async missing(): Promise<Outcome<readonly Damage[]>> {
    return ok([])
  }

  record(sessionId: string): Promise<Outcome<SessionRecord>> {
    return this.#try(async () => {
      const [row] = await this.#database.query("select * from turnhouse.sessions where session_id = $1", [sessionId])
      return row === undefined ? refused(unknownSession(sessionId)) : ok(await recordIn(this.#database, row))
    })
  }

  async page(sessionId: string, afterSeq: number, upTo: number): Promise<Page> {
    const rows = await this.#database.query(
      `select seq, hash, text from (
         select seq, hash, text, sum(length(text)) over (order by seq) - length(text) as before
         from (
           select seq, hash, text from turnhouse.events
             where session = (select number from turnhouse.sessions where session_id = $1) and seq > $2 and seq <= $3
             order by seq limit $4
         ) as found
       ) as measured where before < $5 order by seq`,
      [sessionId, afterSeq, upTo, PAGE_ROWS, PAGE_CHARACTERS],
    )
    const lines = rows
      .map((row) => ({ seq: numberIn(row, "seq"), text: textIn(row, "text"), hash: textIn(row, "hash") }))
      .filter(({ seq }, at) => seq === afterSeq + 1 + at)
    return { lines, problem: lines.length === 0 ? "it is missing" : undefined }
  }

  store(session: SessionCopy, pages: AsyncIterable<Outcome<readonly StoredLine[]>>): Promise<Outcome<void>> {
    return this.#try(async () => {
      try {
        await this.#database.transaction((queries) => this.#storeAll(queries, session, pages))
        return ok(undefined)
      } catch (error) {
        if (error instanceof Undone) return error.refused
        throw error
      }
    })
  }

  confirm(): void {}

  async close(): Promise<void> {
    clearInterval(this.#renewals)
    const lease = this.#lease
    if (lease !== undefined) await this.#try(() => releaseHost(this.#database, lease))
    await this.#database.close()
  }

  async #try<Value>(work: () => Promise<Outcome<Value>>): Promise<Outcome<Value>> {
    try {
      return await work()
    } catch (error) {
      return refused(unavailable(error))
    }
  }

  async #register(): Promise<Outcome<readonly LiveHost[]>> {
    const registered = await this.#database.transaction(async (queries) => {
      await queries.query(`select pg_advisory_xact_lock(${registrations})`)
      const living = await livingHosts(queries)
      if (living.length > 0) return ok(living)
      await queries.query("delete from turnhouse.hosts") // one that was only suspended learns of it
      const lease = await register(queries, judgement, this.#options.host, undefined)
      if (lease.kind === "ok") this.#lease = lease.value
      return lease.kind === "ok" ? ok([]) : lease
    })
    // A failure is repeated in time; a lease that is lost is found by the next transaction.
    this.#renewals = setInterval(() => void this.isHeld(), limits.leaseRenewMs)
    this.#renewals.unref()
    return registered
  }

  async #storeAll(
    queries: Queries,
    session: SessionCopy,
    pages: AsyncIterable<Outcome<readonly StoredLine[]>>,
  ): Promise<void> {
    await this.#checkLease(queries)
    const number = await storeRow(queries, session)
    for await (const page of pages) {
      if (page.kind === "refused") throw new Undone(page)
      await queries.query(
        `insert into turnhouse.events (session, seq, hash, text)
           select $1, seq, hash, text from unnest($2::bigint[], $3::text[], $4::text[]) as l (seq, hash, text)`,
        [
          number,
          page.value.map(({ seq }) => seq),
          page.value.map(({ hash }) => hash),
          page.value.map(({ text }) => text),
        ],
      )
    }
    await storeBesides(queries, number, session.record)
  }

  async #checkLease(queries: Queries): Promise<void> {
    const held = await queries.query("select 1 from turnhouse.hosts where epoch = $1 for key share", [
      this.#lease?.epoch ?? -1,
    ])
    if (held.length === 0) throw new Undone(refused({ code: "log.unavailable", what: lostLease(this.name) }))
  }
}

export function lostLease(name: string): string {
  return `a host may have written to ${name} meanwhile: this process was suspended or could not reach it. Repeat the command.`
}

/** Rolls a transaction back because of a refusal. */
class Undone extends Error {
  override readonly name = "Undone"
  readonly refused: Refused

  constructor(cause: Refused) {
    super("undone")
    this.refused = cause
  }
}

/** Also those on this machine that run and have lost their lease. */
async function livingHosts(queries: Queries): Promise<readonly LiveHost[]> {
  const { clock } = judgement
  const rows = await queries.query(`select *, ${clock.sql} as now from turnhouse.hosts`, [clock.now()])
  return rows.flatMap((row) => {
    const host = hostRow(row)
    const isLiving = isHostAlive(host, numberIn(row, "now"), isAlive) || isRunning(host)
    return isLiving ? [{ hostId: host.hostId, role: host.role, pid: host.pid, node: host.node }] : []
  })
}

async function recordIn(queries: Queries, row: Row): Promise<SessionRecord> {
  const number = numberIn(row, "number")
  const visits = await queries.query("select visit_id, seq from turnhouse.visits where session = $1", [number])
  const streamed = await queries.query("select * from turnhouse.streamed where session = $1 order by id", [number])
  return {
    createdAt: numberIn(row, "created_at"),
    updatedAt: numberIn(row, "updated_at"),
    summary: textIn(row, "summary"),
    org: textOrNothingIn(row, "org"),
    owner: textOrNothingIn(row, "owner"),
    isLeftOpen: numberOrNothingIn(row, "owner_epoch") !== undefined,
    visits: visits.map((visit) => ({ visitId: textIn(visit, "visit_id"), seq: numberIn(visit, "seq") })),
    streamed: streamed.map(pieceIn),
  }
}

function pieceIn(row: Row): StreamedPiece {
  const [stepId, piece] = [textIn(row, "step_id"), textIn(row, "piece")]
  return { stepId, piece, hash: textIn(row, "hash"), blocks: textIn(row, "blocks") }
}

/** The place of a session that is there already stays. */
async function storeRow(queries: Queries, { head, record, place, afterSeq }: SessionCopy): Promise<number> {
  const { sessionId, seq, hash } = head
  const { createdAt, updatedAt, summary, org = null, owner = null, isLeftOpen } = record
  const values = [sessionId, updatedAt, seq, hash, isLeftOpen ? LEFT_OPEN_EPOCH : null, summary]
  const [row] =
    afterSeq > 0
      ? await queries.query(
          `update turnhouse.sessions set updated_at = $2, seq = $3, head = $4, owner_epoch = $5, summary = $6
             where session_id = $1 and seq = $7 returning number`,
          [...values, afterSeq],
        )
      : await queries.query(
          `insert into turnhouse.sessions
             (session_id, updated_at, seq, head, owner_epoch, summary, created_at, org, owner, place)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning number`,
          [...values, createdAt, org, owner, place ?? null],
        )
  if (row !== undefined) return numberIn(row, "number")
  const now = (await readHeads(queries, [sessionId])).get(sessionId)?.seq ?? 0
  throw new Undone(refused({ code: "log.conflict", sessionId, expectedSeq: afterSeq, seq: now }))
}

async function storeBesides(queries: Queries, number: number, { visits, streamed }: SessionRecord): Promise<void> {
  await queries.query(
    `insert into turnhouse.visits (visit_id, session, seq)
       select visit_id, $1, seq from unnest($2::text[], $3::bigint[]) as v (visit_id, seq)
       on conflict (visit_id) do nothing`,
    [number, visits.map(({ visitId }) => visitId), visits.map(({ seq }) => seq)],
  )
  await queries.query("delete from turnhouse.streamed where session = $1", [number])
  await queries.query(
    `insert into turnhouse.streamed (session, step_id, piece, hash, blocks)
       select $1, step_id, piece, hash, blocks
       from unnest($2::text[], $3::text[], $4::text[], $5::text[]) with ordinality
         as p (step_id, piece, hash, blocks, place) order by place`,
    [
      number,
      streamed.map(({ stepId }) => stepId),
      streamed.map(({ piece }) => piece),
      streamed.map(({ hash }) => hash),
      streamed.map(({ blocks }) => blocks),
    ],
  )
}
