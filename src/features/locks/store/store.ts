// The lock table on disk: one SQLite file that all hosts of a home share. Every change is one short transaction that holds
// the write lock from its first read, so two processes never both win. If the file is busy the caller retries. The file
// is opened with the first use.
import { randomBytes } from "node:crypto"
import { closeSync, existsSync, mkdirSync, openSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite"
import {
  blocker,
  isAbandoned,
  isOwn,
  isOrphaned,
  isStale,
  lockId,
  type Blocked,
  type Claim,
  type LockRow,
  type Machine,
  type Moment,
  type OwnDetails,
  type Waiter,
} from "../lock-table.ts"
import type { ToolProcess } from "../../../contract/values.ts"
import { inOrder, isLockType, type LockRequest } from "../conflicts.ts"
import { deadlockOf, type Wait } from "../deadlock.ts"
import type { FenceFiles } from "./fence-files.ts"
import { lockRow, selectLocks, selectWaiting, waiterRow } from "./rows.ts"
import { ensureSchema } from "./schema.ts"

export interface StoreOptions {
  readonly path: string
  readonly machine: Machine
  readonly moment: () => Moment
  readonly files: FenceFiles
  /** In the environment of a holder's processes. */
  readonly mark: (holder: string) => string
}

export interface Granted extends LockRequest {
  readonly id: string
  readonly fence: number
}

export type Attempt =
  | { readonly kind: "granted"; readonly locks: readonly Granted[] }
  | { readonly kind: "blocked"; readonly by: Blocked; readonly ticket: number | undefined }
  | { readonly kind: "deadlock"; readonly cycle: readonly Wait[] }

export interface LockPage {
  readonly rows: readonly LockRow[]
  readonly waiting: readonly Waiter[]
  /** Fencing numbers of the newest holds that were revoked instead of released. */
  readonly lost: ReadonlySet<number>
}

const rememberedLost = 100

export interface StoredClaim extends Claim {
  readonly description: string
  /** Whether it takes a place in the queue when it is blocked. */
  readonly canQueue: boolean
}

export class LockStore {
  readonly #options: StoreOptions
  readonly #statements = new Map<string, StatementSync>()
  #database: DatabaseSync | undefined
  #databaseName = ""
  #inode: number | undefined

  constructor(options: StoreOptions) {
    this.#options = options
  }

  /** Whether locks were ever used in this home. */
  get exists(): boolean {
    return this.#database !== undefined || existsSync(this.#options.path)
  }

  /** Names a hold in the environment of commands and as a hold file. */
  token(fence: number): string {
    return `${this.#databaseName}-${fence}`
  }

  /** Changes when another process has changed the table. */
  version(): number {
    this.#checkFile()
    return Number(this.#sql("pragma data_version").get()?.["data_version"])
  }

  /** All or nothing. */
  attempt(claim: StoredClaim): Attempt {
    return this.#transaction(() => {
      const { rows, waiting } = this.#sweep()
      const { machine } = this.#options
      const ticket = waiting.find((waiter) => waiter.ticket === claim.ticket)?.ticket // a waiter that was swept has lost its place
      const by = blocker({ ...claim, ticket }, rows, waiting, machine.self)
      if (by !== undefined) return this.#blocked(claim, by, ticket ?? this.#queue(claim), { rows, waiting })
      if (ticket !== undefined) this.#removeWaiter(ticket)
      const ownRows = new Map(rows.filter((row) => isOwn(row, claim.holder, machine.self)).map((row) => [row.id, row]))
      return { kind: "granted", locks: inOrder(claim.requests).map((request) => this.#grant(claim, request, ownRows)) }
    })
  }

  /** A process that was started under these holds: it must exit before another holder gets them. */
  record(locks: readonly Pick<Granted, "fence">[], process: ToolProcess): void {
    this.#transaction(() => {
      const add = "update turnhouse_holds set processes = json_insert(processes, '$[#]', json(?)) where fence = ?"
      for (const { fence } of locks) this.#run(add, JSON.stringify(process), fence)
    })
  }

  /** Holds of dead hosts whose processes may still be alive. */
  orphaned(): readonly OwnDetails[] {
    this.#checkFile()
    const { machine } = this.#options
    const own = this.#sql(selectLocks)
      .all()
      .map(lockRow)
      .flatMap((row) => row?.ownDetails ?? [])
    return own.filter((details) => isOrphaned(details, machine))
  }

  leaveQueue(ticket: number): void {
    this.#transaction(() => this.#removeWaiter(ticket))
  }

  /** Releases only locks that are still the same hold. */
  release(locks: readonly Pick<Granted, "id" | "fence">[]): void {
    this.#transaction(() => {
      for (const { id, fence } of locks) if (this.#holds(id, fence)) this.#delete(id, fence)
    })
  }

  /** False when the lock is no longer this hold. */
  setStatus({ id, fence }: Pick<Granted, "id" | "fence">, status: string): boolean {
    return this.#transaction(() => {
      if (!this.#holds(id, fence)) return false
      this.#sql("update turnhouse_locks set status = ? where lock_id = ? and fence = ?").run(status, id, fence)
      return true
    })
  }

  /** The locks that are no longer these holds. */
  lostLocks(locks: readonly Granted[]): readonly Granted[] {
    this.#checkFile()
    return locks.filter(({ id, fence }) => !this.#holds(id, fence))
  }

  /** Renews holds and places in the queue. */
  renew(fences: readonly number[], tickets: readonly number[]): void {
    this.#transaction(() => {
      const { now, ticks } = this.#options.moment()
      const setHeartbeat = "set beat_now = ?, beat_ticks = ?"
      const [locks, places] = ["turnhouse_locks", "turnhouse_waiting"].map((table) => `update ${table} ${setHeartbeat}`)
      this.#run(`${locks} where fence in (select value from json_each(?))`, now, ticks, JSON.stringify(fences))
      this.#run(`${places} where ticket in (select value from json_each(?))`, now, ticks, JSON.stringify(tickets))
    })
  }

  /** The table as it is, stale rows included. */
  read(): LockPage {
    const rows = this.#sql(selectLocks).all().map(lockRow)
    const waiting = this.#sql(selectWaiting).all().map(waiterRow)
    const lost = this.#sql("select fence from turnhouse_lost").all()
    return {
      rows: rows.filter((row) => row !== undefined),
      waiting,
      lost: new Set(lost.map(({ fence }) => Number(fence))),
    }
  }

  /** The table without stale rows and waiters, which are removed. */
  sweep(): LockPage {
    this.#checkFile()
    const page = this.read()
    const { rows, waiting } = page
    const { machine, moment } = this.#options
    const at = moment()
    const isClean =
      !rows.some((row) => isStale(row, machine, at)) && !waiting.some((waiter) => isAbandoned(waiter, machine, at))
    return isClean ? page : this.#transaction(() => this.#sweep())
  }

  close(): void {
    this.#statements.clear()
    this.#database?.close()
    this.#database = undefined
  }

  #sweep(): LockPage {
    const { machine, moment, files } = this.#options
    const at = moment()
    const page = this.read()
    const stale = page.rows.filter((row) => isStale(row, machine, at))
    const abandoned = page.waiting.filter((waiter) => isAbandoned(waiter, machine, at))
    for (const { id, ownDetails } of stale) this.#revoke(id, ownDetails?.fence)
    for (const { ticket } of abandoned) this.#removeWaiter(ticket)
    const rows = page.rows.filter((row) => !stale.includes(row))
    files.keepOnly(
      new Set(rows.flatMap(({ ownDetails }) => (ownDetails === undefined ? [] : [this.token(ownDetails.fence)]))),
    )
    const lost = new Set([...page.lost, ...stale.flatMap(({ ownDetails }) => ownDetails?.fence ?? [])])
    return { rows, waiting: page.waiting.filter((waiter) => !abandoned.includes(waiter)), lost }
  }

  /** The youngest waiter of a deadlock leaves the queue. */
  #blocked(
    claim: StoredClaim,
    by: Blocked,
    ticket: number | undefined,
    { rows, waiting }: Pick<LockPage, "rows" | "waiting">,
  ): Attempt {
    if (ticket === undefined) return { kind: "blocked", by, ticket }
    const others = waiting.filter((waiter) => waiter.ticket !== ticket)
    const cycle = deadlockOf(ticket, rows, [...others, { ticket, holder: claim.holder, requests: claim.requests }])
    if (cycle === undefined) return { kind: "blocked", by, ticket }
    this.#removeWaiter(ticket)
    return { kind: "deadlock", cycle }
  }

  #grant(claim: StoredClaim, request: LockRequest, ownRows: ReadonlyMap<string, LockRow>): Granted {
    const id = lockId(request.kind, request.scope)
    const known = ownRows.get(id)?.ownDetails?.fence
    const fence = known ?? this.#insert(claim, request, id)
    this.#recordHold(claim, fence)
    return { ...request, id, fence }
  }

  /** A claim without `beside` is not for a call: it lasts until it is released. */
  #recordHold({ holder, siblingLocks }: StoredClaim, fence: number): void {
    const values = [fence, siblingLocks === undefined ? 1 : 0, this.#options.mark(holder)]
    const sql = `insert into turnhouse_holds values (?, ?, ?, '[]')
      on conflict (fence) do update set lasts = max(lasts, excluded.lasts)`
    this.#run(sql, ...values)
  }

  #insert({ holder, description }: StoredClaim, { kind, scope }: LockRequest, id: string): number {
    const { machine, moment, files } = this.#options
    const { pid, startTime, bootId } = machine.self
    const { now, ticks } = moment()
    const fence = Number(this.#sql("update turnhouse_book set fence = fence + 1 returning fence").get()?.["fence"])
    const row = [id, kind, scope, holder, pid, now, machine.hostname]
    this.#run("insert into locks values (?, ?, ?, ?, ?, ?, null, ?)", ...row)
    this.#run("delete from turnhouse_locks where lock_id = ?", id) // left over from a row that another program deleted
    const details = [id, holder, now, fence, description, "active", startTime, bootId, now, ticks]
    this.#run("insert into turnhouse_locks values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", ...details)
    if (isLockType(kind)) files.raise(this.token(fence))
    return fence
  }

  #revoke(id: string, fence: number | undefined): void {
    this.#delete(id, fence)
    if (fence === undefined) return
    this.#run("insert or ignore into turnhouse_lost values (?)", fence)
    this.#run(
      "delete from turnhouse_lost where fence not in (select fence from turnhouse_lost order by fence desc limit ?)",
      rememberedLost,
    )
  }

  #delete(id: string, fence: number | undefined): void {
    if (fence !== undefined) this.#options.files.lower(this.token(fence)) // first, so that no command continues under it
    this.#run("delete from locks where lock_id = ?", id)
    this.#run("delete from turnhouse_locks where lock_id = ?", id)
    this.#run("delete from turnhouse_holds where fence = ?", fence ?? 0)
  }

  #holds(id: string, fence: number): boolean {
    const sql = `select 1 from locks l join turnhouse_locks t
      on t.lock_id = l.lock_id and t.agent_id = l.agent_id and t.acquired_at = l.acquired_at
      where l.lock_id = ? and fence = ?`
    return this.#sql(sql).get(id, fence) !== undefined
  }

  #queue({ canQueue, holder, requests, description }: StoredClaim): number | undefined {
    if (!canQueue) return undefined
    const { pid, startTime, bootId } = this.#options.machine.self
    const { now, ticks } = this.#options.moment()
    const values = [holder, JSON.stringify(requests), description, now, pid, startTime, bootId, now, ticks]
    const sql = "insert into turnhouse_waiting values (null, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    return Number(this.#sql(sql).run(...values).lastInsertRowid)
  }

  #removeWaiter(ticket: number): void {
    this.#run("delete from turnhouse_waiting where ticket = ?", ticket)
  }

  #transaction<Value>(act: () => Value): Value {
    this.#checkFile()
    const database = this.#opened()
    database.exec("begin immediate")
    try {
      const value = act()
      database.exec("commit")
      return value
    } catch (fault) {
      if (database.isTransaction) database.exec("rollback")
      throw fault
    }
  }

  /** Closes the database if its file was removed or replaced. */
  #checkFile(): void {
    if (this.#database === undefined) return
    if (statSync(this.#options.path, { throwIfNoEntry: false })?.ino !== this.#inode) this.close()
  }

  #run(text: string, ...values: readonly SQLInputValue[]): void {
    this.#sql(text).run(...values)
  }

  #sql(text: string): StatementSync {
    const known = this.#statements.get(text)
    if (known !== undefined) return known
    const statement = this.#opened().prepare(text)
    this.#statements.set(text, statement)
    return statement
  }

  #opened(): DatabaseSync {
    return (this.#database ??= this.#open())
  }

  /** Only the user can read the file, whatever the umask. Without a timeout: SQLite must not block the event loop. */
  #open(): DatabaseSync {
    const { path } = this.#options
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    closeSync(openSync(path, "a", 0o600))
    const database = new DatabaseSync(path, { timeout: 0 })
    try {
      database.exec("pragma synchronous = normal")
      this.#inode = statSync(path).ino
      this.#databaseName = ensureSchema(database, randomBytes(3).toString("hex"))
      return database
    } catch (fault) {
      database.close()
      throw fault
    }
  }
}
