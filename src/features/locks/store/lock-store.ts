// The lock table as a host uses it. Two implementations: one file of a machine, and a database that machines share. Both
// throw a LockFault when the table cannot be used.
import type { ToolProcess } from "../../../contract/values.ts"
import type { LockRow, Moment, OwnDetails, Waiter } from "../lock-table.ts"
import type { ClaimResult, Granted, StoredClaim } from "../table-change.ts"
import type { FenceFiles } from "./fence-files.ts"

export interface LockPage {
  readonly rows: readonly LockRow[]
  readonly waiting: readonly Waiter[]
  /** Fencing numbers of the newest holds that were revoked instead of released. */
  readonly lost: ReadonlySet<number>
  /** As `LockStore.version`, when it was read. */
  readonly version: number
  /** When it was read, by the clock that the rows are judged by. */
  readonly at: Moment
}

export interface Attempt {
  readonly result: ClaimResult
  /** Of the table when the claim was decided. */
  readonly version: number
}

/** How often a waiting call looks for a change of another process, and how often it tries without one. */
export interface WaitPace {
  readonly checkEveryMs: number
  readonly retryMs: number
}

export interface LockStore {
  /** The hold files of this machine. */
  readonly files: FenceFiles
  readonly pace: WaitPace
  /** Whether there can be locks. */
  readonly exists: boolean
  /** Names a hold in the environment of commands and as a hold file. Only for holds that this store has granted. */
  token(fence: number): string
  /** Changes when another process has changed the table. */
  version(): Promise<number>
  attempt(claim: StoredClaim): Promise<Attempt>
  /** A process that was started under these holds: it must exit before another holder gets them. */
  record(locks: readonly Pick<Granted, "fence">[], process: ToolProcess): Promise<void>
  /** Holds of dead hosts whose processes may still be alive. */
  orphaned(): Promise<readonly OwnDetails[]>
  leaveQueue(ticket: number): Promise<void>
  /** Releases only locks that are still the same hold. */
  release(locks: readonly Pick<Granted, "id" | "fence">[]): Promise<void>
  /** False when the lock is no longer this hold. */
  setStatus(lock: Pick<Granted, "id" | "fence">, status: string): Promise<boolean>
  /** The locks that are no longer these holds. */
  lostLocks(locks: readonly Granted[]): Promise<readonly Granted[]>
  /** Renews holds and places in the queue. */
  renew(fences: readonly number[], tickets: readonly number[]): Promise<void>
  /** The table as it is, stale rows included. */
  read(): Promise<LockPage>
  /** The table without stale rows and waiters, which are removed. */
  sweep(): Promise<LockPage>
  close(): Promise<void>
}
