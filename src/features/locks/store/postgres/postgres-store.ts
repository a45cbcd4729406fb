// The lock store that all nodes of a cluster share. Hold files stay local: each machine creates and removes only those of its
// own hosts. A process that cannot reach the database treats its holds as lost before other nodes may take them.
import type { ToolProcess } from "../../../../contract/values.ts"
import { Database, type Queries } from "../../../../postgres/database.ts"
import { DatabaseFault } from "../../../../postgres/database-fault.ts"
import { migrate } from "../../../../postgres/migrate.ts"
import { numberIn, textIn } from "../../../../postgres/row.ts"
import { isLockType, type LockRequest } from "../../conflicts.ts"
import { isOrphaned, isSame, type Machine, type OwnDetails } from "../../lock-table.ts"
import {
  applyClaim,
  sweepTable,
  type ChangeContext,
  type Granted,
  type OwnRow,
  type StoredClaim,
  type TableChange,
} from "../../table-change.ts"
import { FenceFiles } from "../fence-files.ts"
import { isStorageFault, LockFault } from "../lock-fault.ts"
import type { Attempt, LockPage, LockStore } from "../lock-store.ts"
import { HoldLeases } from "./hold-leases.ts"
import {
  addProcess,
  deleteHolds,
  heldFences,
  leave,
  lockTable,
  readTable,
  renewRows,
  updateStatus,
  writeChanges,
  type StoredTable,
} from "./postgres-table.ts"
import { storable } from "./rows.ts"
import { lockSteps } from "./schema.ts"

export interface PostgresLockOptions {
  readonly url: string
  /** Of the hold files, on this machine. */
  readonly fenceFolder: string
  /** The shared folder or the node that a scope belongs to: only locks of one place conflict. */
  readonly placeOf: (scope: string) => string
  /** In the environment of a holder's processes. */
  readonly mark: (holder: string) => string
  /** Milliseconds of a monotonic clock that all processes of the machine share. */
  readonly ticks: () => number
  /** Default: the server's clock. */
  readonly now?: () => number
}

/** A lease is long enough for two failed renewals. */
const TIMEOUT_MS = 4000
const CONNECTIONS = 3
/** Callers of this process share an answer about the version for so long. */
const VERSION_AGE_MS = 250

export function postgresLocks(options: PostgresLockOptions): (machine: Machine) => PostgresLockStore {
  return (machine) => new PostgresLockStore(options, machine)
}

export class PostgresLockStore implements LockStore {
  readonly files: FenceFiles
  readonly exists = true
  /** Only one transaction of all nodes has the table at a time. */
  readonly pace = { checkEveryMs: 500, retryMs: 2000 }
  readonly #options: PostgresLockOptions
  readonly #machine: Machine
  readonly #database: Database
  readonly #leases: HoldLeases
  /** Holds that were not granted or released, as far as this process knows: a failed change may have been stored. */
  readonly #failed = new Set<number>()
  #opening: Promise<void> | undefined
  #name = ""
  #version: { readonly askedAt: number; readonly answer: Promise<number> } | undefined
  #lastRead: StoredTable | undefined

  constructor(options: PostgresLockOptions, machine: Machine) {
    const { url, fenceFolder, ticks } = options
    this.#options = options
    this.#machine = machine
    this.files = new FenceFiles(fenceFolder)
    this.#database = new Database({ url, timeoutMs: TIMEOUT_MS, connections: CONNECTIONS })
    this.#leases = new HoldLeases({ files: this.files, token: (fence) => this.token(fence), ticks })
  }

  token(fence: number): string {
    return `${this.#name}-${fence}`
  }

  version(): Promise<number> {
    const now = performance.now()
    if (this.#version !== undefined && now - this.#version.askedAt < VERSION_AGE_MS) return this.#version.answer
    const answer = this.#reach(async (database) => {
      const [row] = await database.query("select version from turnhouse.lock_book")
      return numberIn(row ?? {}, "version")
    })
    this.#version = { askedAt: now, answer }
    return answer
  }

  async attempt(claim: StoredClaim): Promise<Attempt> {
    const requests = claim.requests.map((request) => this.#withPlace(request))
    const begun: number[] = []
    const sentAt = this.#options.ticks()
    try {
      const { failed, ...attempt } = await this.#change(async (queries) => {
        const table = await this.#read(queries, sentAt)
        const givenUp = [...this.#failed]
        const { result, changes } = applyClaim(table, { ...claim, requests }, this.#context(table))
        this.#lowerFiles(table, changes)
        for (const { kind, ownDetails } of grantedRows(changes)) {
          begun.push(ownDetails.fence)
          this.#failed.delete(ownDetails.fence) // its change was not stored
          this.#leases.begin(ownDetails.fence, sentAt, isLockType(kind))
        }
        return { result, version: await writeChanges(queries, table, changes, this.#machine.hostname), failed: givenUp }
      })
      for (const fence of failed) this.#failed.delete(fence) // it swept them
      return attempt
    } catch (fault) {
      this.#giveUp(begun)
      throw fault
    }
  }

  async record(locks: readonly Pick<Granted, "fence">[], process: ToolProcess): Promise<void> {
    const fences = locks.map(({ fence }) => fence)
    await this.#change((queries) => addProcess(queries, this.#machine.self, fences, JSON.stringify([process])))
  }

  async orphaned(): Promise<readonly OwnDetails[]> {
    if (this.#lastRead?.version !== (await this.version())) await this.read()
    const rows = this.#lastRead?.rows ?? []
    return rows.map(({ ownDetails }) => ownDetails).filter((details) => isOrphaned(details, this.#machine))
  }

  async leaveQueue(ticket: number): Promise<void> {
    await this.#change((queries) => leave(queries, ticket))
  }

  async release(locks: readonly Pick<Granted, "id" | "fence">[]): Promise<void> {
    const fences = locks.map(({ fence }) => fence)
    for (const fence of fences) this.#leases.lowerFile(fence) // first, so that no command continues under it
    try {
      await this.#change((queries) => deleteHolds(queries, this.#machine.self, fences))
    } catch (fault) {
      this.#giveUp(fences)
      throw fault
    }
    for (const fence of fences) this.#leases.end(fence)
  }

  async setStatus({ fence }: Pick<Granted, "id" | "fence">, status: string): Promise<boolean> {
    if (this.#leases.isLost(fence)) return false
    return this.#change((queries) => updateStatus(queries, this.#machine.self, fence, storable(status)))
  }

  /** Without an answer of the database a hold is never reported as held. */
  async lostLocks(locks: readonly Granted[]): Promise<readonly Granted[]> {
    const isLost = ({ fence }: Granted) => this.#leases.isLost(fence)
    if (locks.every(isLost)) return locks
    const fences = locks.map(({ fence }) => fence)
    const held = await this.#reach((database) => heldFences(database, this.#machine.self, fences))
    return locks.filter((lock) => isLost(lock) || !held.has(lock.fence)) // the answer may be old: this process may have stood still
  }

  async renew(fences: readonly number[], tickets: readonly number[]): Promise<void> {
    const { self } = this.#machine
    const { ticks, now } = this.#options
    const valid = fences.filter((fence) => !this.#leases.isLost(fence))
    if (valid.length + tickets.length === 0) return
    const sentAt = ticks()
    const renewal = { fences: valid, tickets, ticks: sentAt, now: now?.() }
    const renewed = await this.#change((queries) => renewRows(queries, self, renewal))
    for (const fence of valid) {
      if (renewed.has(fence)) this.#leases.renew(fence, sentAt)
      else this.#leases.lose(fence)
    }
  }

  async read(): Promise<LockPage> {
    const table = await this.#reach((database) => this.#read(database, this.#options.ticks()))
    this.#lastRead = table
    return table
  }

  async sweep(): Promise<LockPage> {
    const sentAt = this.#options.ticks()
    const found = await this.#reach((database) => this.#read(database, sentAt))
    this.#lastRead = found
    if (sweepTable(found, this.#context(found)).changes.length === 0) return found
    return this.#change(async (queries) => {
      const table = await this.#read(queries, sentAt)
      const { rows, waiting, changes } = sweepTable(table, this.#context(table))
      this.#lowerFiles(table, changes)
      const version = await writeChanges(queries, table, changes, this.#machine.hostname)
      return { rows, waiting, lost: new Set([...table.lost, ...revokedFences(changes)]), version, at: table.at }
    })
  }

  async close(): Promise<void> {
    this.#leases.close()
    await this.#database.close()
  }

  #withPlace(request: LockRequest): LockRequest {
    if (request.scope.includes("\0")) throw new LockFault("a scope with a NUL character cannot be stored")
    return { ...request, place: this.#options.placeOf(request.scope) }
  }

  #read(queries: Queries, ticks: number): Promise<StoredTable> {
    return readTable(queries, ticks, this.#options.now?.())
  }

  #context({ at }: StoredTable): ChangeContext {
    const isGivenUp = ({ fence, process }: OwnDetails) =>
      isSame(process, this.#machine.self) && (this.#failed.has(fence) || this.#leases.isLost(fence))
    return { machine: this.#machine, mark: this.#options.mark, at, isGivenUp }
  }

  /** Before others get the locks. Also files of hosts of this machine whose holds another node has revoked. */
  #lowerFiles({ rows, lastFence }: StoredTable, changes: readonly TableChange[]): void {
    for (const fence of revokedFences(changes)) this.#leases.lose(fence)
    const revoked = new Set(revokedFences(changes))
    const held = new Set(rows.map(({ ownDetails }) => ownDetails.fence).filter((fence) => !revoked.has(fence)))
    const tokens = new Set([...held].map((fence) => this.token(fence)))
    const isNewer = (token: string) => Number(token.slice(token.lastIndexOf("-") + 1)) > lastFence // granted after this table was read
    this.files.lowerAll((token) => !tokens.has(token) && !(token.startsWith(`${this.#name}-`) && isNewer(token)))
  }

  #giveUp(fences: readonly number[]): void {
    for (const fence of fences) {
      this.#leases.end(fence)
      this.#failed.add(fence)
    }
  }

  /** A transaction that no other one of any node overlaps. */
  #change<Value>(work: (queries: Queries) => Promise<Value>): Promise<Value> {
    return this.#reach((database) =>
      database.transaction(async (queries) => {
        await lockTable(queries)
        return work(queries)
      }),
    )
  }

  async #reach<Value>(work: (database: Database) => Promise<Value>): Promise<Value> {
    try {
      await this.#opened()
      return await work(this.#database)
    } catch (fault) {
      if (fault instanceof DatabaseFault || isStorageFault(fault)) throw new LockFault(fault.message)
      throw fault
    }
  }

  #opened(): Promise<void> {
    this.#opening ??= this.#open().catch((fault: unknown) => {
      this.#opening = undefined
      throw fault
    })
    return this.#opening
  }

  async #open(): Promise<void> {
    await migrate(this.#database, "locks", lockSteps)
    const [row] = await this.#database.query("select name from turnhouse.lock_book")
    this.#name = textIn(row ?? {}, "name")
  }
}

function grantedRows(changes: readonly TableChange[]): readonly OwnRow[] {
  return changes.flatMap((change) => (change.type === "grant" ? [change.row] : []))
}

function revokedFences(changes: readonly TableChange[]): readonly number[] {
  return changes.flatMap((change) => (change.type === "revoke" ? (change.row.ownDetails?.fence ?? []) : []))
}
