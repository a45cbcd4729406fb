// The lock table as one SQLite file that all hosts of a home share. Every change is one short transaction that holds the
// write lock from its first read, so two processes never both win. If the file is busy the caller retries. The file is
// opened with the first use.
import { randomBytes } from "node:crypto"
import { closeSync, existsSync, mkdirSync, openSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite"
import type { ToolProcess } from "../../../../contract/values.ts"
import { isLockType } from "../../conflicts.ts"
import {
  isAbandoned,
  isOrphaned,
  isStale,
  type Machine,
  type Moment,
  type OwnDetails,
  type Waiter,
} from "../../lock-table.ts"
import {
  applyClaim,
  sweepTable,
  type ChangeContext,
  type Granted,
  type LockTable,
  type OwnRow,
  type StoredClaim,
  type TableChange,
} from "../../table-change.ts"
import type { FenceFiles } from "../fence-files.ts"
import type { Attempt, LockPage } from "../lock-store.ts"
import { lockRow, selectLocks, selectWaiting, waiterRow } from "./rows.ts"
import { ensureSchema } from "./schema.ts"

export interface TableOptions {
  readonly path: string
  readonly machine: Machine
  readonly moment: () => Moment
  readonly files: FenceFiles
  /** In the environment of a holder's processes. */
  readonly mark: (holder: string) => string
}

const rememberedLost = 100

export class SqliteTable {
  readonly #options: TableOptions
  readonly #statements = new Map<string, StatementSync>()
  #database: DatabaseSync | undefined
  #databaseName = ""
  #inode: number | undefined

  constructor(options: TableOptions) {
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

  version(): number {
    this.#checkFile()
    return this.#version()
  }

  attempt(claim: StoredClaim): Attempt {
    return this.#transaction(() => {
      const context = this.#context()
      const page = this.#read(context.at)
      const table: LockTable = { ...page, ...this.#lastNumbers() }
      const { result, changes } = applyClaim(table, claim, context)
      this.#apply(changes)
      this.#lowerOthers(page, changes)
      return { result, version: page.version }
    })
  }

  record(locks: readonly Pick<Granted, "fence">[], process: ToolProcess): void {
    this.#transaction(() => {
      const add = "update turnhouse_holds set processes = json_insert(processes, '$[#]', json(?)) where fence = ?"
      for (const { fence } of locks) this.#run(add, JSON.stringify(process), fence)
    })
  }

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

  release(locks: readonly Pick<Granted, "id" | "fence">[]): void {
    this.#transaction(() => {
      for (const { id, fence } of locks) if (this.#holds(id, fence)) this.#delete(id, fence)
    })
  }

  setStatus({ id, fence }: Pick<Granted, "id" | "fence">, status: string): boolean {
    return this.#transaction(() => {
      if (!this.#holds(id, fence)) return false
      this.#sql("update turnhouse_locks set status = ? where lock_id = ? and fence = ?").run(status, id, fence)
      return true
    })
  }

  lostLocks(locks: readonly Granted[]): readonly Granted[] {
    this.#checkFile()
    return locks.filter(({ id, fence }) => !this.#holds(id, fence))
  }

  renew(fences: readonly number[], tickets: readonly number[]): void {
    this.#transaction(() => {
      const { now, ticks } = this.#options.moment()
      const setHeartbeat = "set beat_now = ?, beat_ticks = ?"
      const [locks, places] = ["turnhouse_locks", "turnhouse_waiting"].map((table) => `update ${table} ${setHeartbeat}`)
      this.#run(`${locks} where fence in (select value from json_each(?))`, now, ticks, JSON.stringify(fences))
      this.#run(`${places} where ticket in (select value from json_each(?))`, now, ticks, JSON.stringify(tickets))
    })
  }

  read(): LockPage {
    return this.#read(this.#options.moment())
  }

  sweep(): LockPage {
    this.#checkFile()
    const { machine } = this.#options
    const page = this.read()
    const { rows, waiting, at } = page
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
    const context = this.#context()
    const page = this.#read(context.at)
    const { rows, waiting, changes } = sweepTable(page, context)
    this.#apply(changes)
    this.#lowerOthers(page, changes)
    const revoked = changes.flatMap((change) => (change.type === "revoke" ? (change.row.ownDetails?.fence ?? []) : []))
    return { rows, waiting, lost: new Set([...page.lost, ...revoked]), version: this.#version(), at: context.at }
  }

  #read(at: Moment): LockPage {
    const rows = this.#sql(selectLocks).all().map(lockRow)
    const waiting = this.#sql(selectWaiting).all().map(waiterRow)
    const lost = this.#sql("select fence from turnhouse_lost").all()
    return {
      rows: rows.filter((row) => row !== undefined),
      waiting,
      lost: new Set(lost.map(({ fence }) => Number(fence))),
      version: this.#version(),
      at,
    }
  }

  #context(): ChangeContext {
    const { machine, moment, mark } = this.#options
    return { machine, mark, at: moment() }
  }

  #version(): number {
    return Number(this.#sql("pragma data_version").get()?.["data_version"])
  }

  #lastNumbers(): Pick<LockTable, "lastFence" | "lastTicket"> {
    const tickets = "select seq from sqlite_sequence where name = 'turnhouse_waiting'"
    const row = this.#sql(`select fence, (${tickets}) as ticket from turnhouse_book`).get()
    return { lastFence: Number(row?.["fence"]), lastTicket: Number(row?.["ticket"] ?? 0) }
  }

  #apply(changes: readonly TableChange[]): void {
    for (const change of changes) this.#applyOne(change)
  }

  #applyOne(change: TableChange): void {
    switch (change.type) {
      case "revoke":
        return this.#revoke(change.row.id, change.row.ownDetails?.fence)
      case "leave":
        return this.#removeWaiter(change.ticket)
      case "queue":
        return this.#addWaiter(change.waiter)
      case "grant":
        this.#insert(change.row)
        return this.#recordUse(change.row)
      case "use":
        return this.#recordUse(change.row)
    }
  }

  /** Removes the hold files of rows that another program deleted. */
  #lowerOthers({ rows }: LockPage, changes: readonly TableChange[]): void {
    const granted = changes.flatMap((change) => (change.type === "grant" ? [change.row] : []))
    const revoked = new Set(changes.map((change) => (change.type === "revoke" ? change.row : undefined)))
    const kept = [...rows.filter((row) => !revoked.has(row)), ...granted]
    const tokens = kept.flatMap(({ ownDetails }) => (ownDetails === undefined ? [] : [this.token(ownDetails.fence)]))
    const held = new Set(tokens)
    this.#options.files.lowerAll((token) => !held.has(token))
  }

  #recordUse({ ownDetails }: OwnRow): void {
    const { fence, isDurable, holderProcesses } = ownDetails
    const sql = `insert into turnhouse_holds values (?, ?, ?, '[]')
      on conflict (fence) do update set lasts = max(lasts, excluded.lasts)`
    this.#run(sql, fence, isDurable ? 1 : 0, holderProcesses.mark)
  }

  #insert({ id, kind, scope, holder, pid, hostname, acquiredAt, ownDetails }: OwnRow): void {
    const { fence, description, status, process, heartbeat } = ownDetails
    this.#run("update turnhouse_book set fence = ?", fence)
    this.#run(
      "insert into locks values (?, ?, ?, ?, ?, ?, null, ?)",
      id,
      kind,
      scope,
      holder,
      pid,
      acquiredAt,
      hostname,
    )
    this.#run("delete from turnhouse_locks where lock_id = ?", id) // left over from a row that another program deleted
    const renewed = [process.startTime, process.bootId, heartbeat.now, heartbeat.ticks]
    const details = [id, holder, acquiredAt, fence, description, status, ...renewed]
    this.#run("insert into turnhouse_locks values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", ...details)
    if (isLockType(kind)) this.#options.files.raise(this.token(fence))
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

  #addWaiter({ ticket, holder, requests, description, queuedAt, process, heartbeat }: Waiter): void {
    const { pid, startTime, bootId } = process
    const renewed = [pid, startTime, bootId, heartbeat.now, heartbeat.ticks]
    const values = [ticket, holder, JSON.stringify(requests), description, queuedAt, ...renewed]
    this.#run("insert into turnhouse_waiting values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", ...values)
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
