// The lock store of one machine. Each call does its work before it returns, unless another process keeps the file busy:
// then it is retried without blocking the event loop.
import type { ToolProcess } from "../../../../contract/values.ts"
import type { Machine, Moment } from "../../lock-table.ts"
import type { Granted, StoredClaim } from "../../table-change.ts"
import { FenceFiles } from "../fence-files.ts"
import { fenceFolder } from "../fence-folder.ts"
import type { LockStore } from "../lock-store.ts"
import { retryWhileBusy } from "./retry-while-busy.ts"
import { SqliteTable } from "./sqlite-table.ts"

export interface SqliteLockOptions {
  /** The lock table; the hold files are beside it. */
  readonly file: string
  readonly moment: () => Moment
  /** In the environment of a holder's processes. */
  readonly mark: (holder: string) => string
}

export function sqliteLocks(options: SqliteLockOptions): (machine: Machine) => SqliteLockStore {
  return (machine) => new SqliteLockStore(options, machine)
}

export class SqliteLockStore implements LockStore {
  readonly files: FenceFiles
  readonly pace = { checkEveryMs: 20, retryMs: 250 }
  readonly #path: string
  readonly #table: SqliteTable

  constructor({ file, moment, mark }: SqliteLockOptions, machine: Machine) {
    this.#path = file
    this.files = new FenceFiles(fenceFolder(file))
    this.#table = new SqliteTable({ path: file, machine, moment, files: this.files, mark })
  }

  /** Whether locks were ever used in this home. */
  get exists(): boolean {
    return this.#table.exists
  }

  token(fence: number): string {
    return this.#table.token(fence)
  }

  version() {
    return this.#retried(() => this.#table.version())
  }

  attempt(claim: StoredClaim) {
    return this.#retried(() => this.#table.attempt(claim))
  }

  record(locks: readonly Pick<Granted, "fence">[], process: ToolProcess) {
    return this.#retried(() => this.#table.record(locks, process))
  }

  orphaned() {
    return this.#retried(() => this.#table.orphaned())
  }

  leaveQueue(ticket: number) {
    return this.#retried(() => this.#table.leaveQueue(ticket))
  }

  release(locks: readonly Pick<Granted, "id" | "fence">[]) {
    return this.#retried(() => this.#table.release(locks))
  }

  setStatus(lock: Pick<Granted, "id" | "fence">, status: string) {
    return this.#retried(() => this.#table.setStatus(lock, status))
  }

  lostLocks(locks: readonly Granted[]) {
    return this.#retried(() => this.#table.lostLocks(locks))
  }

  renew(fences: readonly number[], tickets: readonly number[]) {
    return this.#retried(() => this.#table.renew(fences, tickets))
  }

  read() {
    return this.#retried(() => this.#table.read())
  }

  sweep() {
    return this.#retried(() => this.#table.sweep())
  }

  async close(): Promise<void> {
    this.#table.close()
  }

  #retried<Value>(act: () => Value): Promise<Value> {
    return retryWhileBusy(this.#path, act)
  }
}
