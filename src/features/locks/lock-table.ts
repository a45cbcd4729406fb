// The rules of the lock table: which rows are stale, and which request is blocked. Pure: the caller supplies rows, time and
// which processes are alive. A holder that does not renew its locks loses them; fencing makes that safe for a holder that
// was only slow.
import type { ToolProcess } from "../../contract/values.ts"
import { blocks, exclude, type LockKind, type LockRequest } from "./conflicts.ts"

/** Identifies a process, also among others with the same pid. */
export interface LockProcess {
  readonly pid: number
  readonly startTime: string
  /** Pids and ticks are valid only within one boot. */
  readonly bootId: string
}

/** Wall clock, and a monotonic clock that all processes of a boot share. */
export interface Moment {
  readonly now: number
  readonly ticks: number
}

/** The process that wrote a row of Turnhouse's own. */
export interface Renewed {
  readonly process: LockProcess
  /** When it was last renewed. */
  readonly heartbeat: Moment
}

export interface LockRow extends LockRequest {
  readonly id: string
  /** The session, or the agent of another program. */
  readonly holder: string
  readonly pid: number
  readonly hostname: string
  readonly acquiredAt: number
  readonly expiresAt: number | undefined
  /** Absent in rows of other programs. */
  readonly ownDetails: OwnDetails | undefined
}

export interface OwnDetails extends Renewed {
  readonly fence: number
  readonly description: string
  readonly status: string
  /** Held until it is released, not only for a call. */
  readonly isDurable: boolean
  readonly holderProcesses: HolderProcesses
}

/** How the processes of a holder are found when its host is dead. */
export interface HolderProcesses {
  /** In the environment of the holder's processes; empty in rows of older releases. */
  readonly mark: string
  readonly processes: readonly ToolProcess[]
}

export interface Waiter extends Renewed {
  readonly ticket: number
  readonly holder: string
  readonly requests: readonly LockRequest[]
  readonly description: string
  /** Absent in a store of one machine. */
  readonly hostname?: string
  readonly queuedAt: number
}

export interface Claim {
  readonly holder: string
  readonly requests: readonly LockRequest[]
  /** Its place in the queue, if it has one. */
  readonly ticket?: number | undefined
  /** Of a call: locks of other calls of the same holder. A holder does not block itself, but its calls block each other. */
  readonly siblingLocks?: readonly LockRequest[]
}

export interface Blocked {
  readonly kind: LockKind
  readonly scope: string
  readonly holder: string
}

/** What is known about the processes of this machine. */
export interface Machine {
  readonly self: LockProcess
  readonly hostname: string
  /** False only when it has certainly exited. */
  isAlive(process: LockProcess): boolean
  /** The same for a process of which only the pid is known. */
  isPidAlive(pid: number): boolean
  /** Whether the processes that a dead host started under this hold have exited. */
  isCleared(ownDetails: OwnDetails): boolean
}

/** Three missed renewals. */
export const staleAfterMs = 15_000
export const renewEveryMs = 5000

export function lockId({ kind, scope, place }: LockRequest): string {
  return place === undefined ? `${kind}:${scope}` : `${kind}:${scope}\0${place}`
}

export function isStale(row: LockRow, machine: Machine, moment: Moment): boolean {
  if (row.expiresAt !== undefined && row.expiresAt <= moment.now) return true
  if (row.ownDetails !== undefined)
    return isAbandoned(row.ownDetails, machine, moment) && !isOrphaned(row.ownDetails, machine)
  return row.hostname === machine.hostname && !machine.isPidAlive(row.pid)
}

/** The process has exited, or has not renewed its rows for too long. */
export function isAbandoned({ process, heartbeat }: Renewed, machine: Machine, { now, ticks }: Moment): boolean {
  // A renewal time in the future was written before the clock was set back.
  if (process.bootId !== machine.self.bootId) return Math.abs(now - heartbeat.now) > staleAfterMs
  return !machine.isAlive(process) || ticks - heartbeat.ticks > staleAfterMs
}

/** The host is dead, but processes that it started under this hold may be alive: the lock is not free until they exit. */
export function isOrphaned(ownDetails: OwnDetails, machine: Machine): boolean {
  if (ownDetails.process.bootId !== machine.self.bootId || machine.isAlive(ownDetails.process)) return false
  return !machine.isCleared(ownDetails)
}

export function isOwn(row: LockRow, holder: string, self: LockProcess): boolean {
  return row.holder === holder && row.ownDetails !== undefined && isSame(row.ownDetails.process, self)
}

export function isSame(one: LockProcess, other: LockProcess): boolean {
  return one.pid === other.pid && one.startTime === other.startTime && one.bootId === other.bootId
}

/** What blocks a claim: a holder, or an earlier waiter. The caller passes no stale rows and waiters. */
export function blocker(
  claim: Claim,
  rows: readonly LockRow[],
  waiting: readonly Waiter[],
  self: LockProcess,
): Blocked | undefined {
  const busy = claim.siblingLocks?.find((other) => claim.requests.some((request) => exclude(other, request)))
  if (busy !== undefined) return { kind: busy.kind, scope: busy.scope, holder: claim.holder }
  const others = rows.filter((row) => !isOwn(row, claim.holder, self))
  const held = claim.requests.flatMap((request) => others.filter((row) => blocks(row, request)))[0]
  if (held !== undefined) return { kind: held.kind, scope: held.scope, holder: held.holder }
  return earlierWaiter(claim, rows, waiting, self)
}

/** An earlier waiter whose request excludes the claim. Locks that the holder already has need no queueing. */
function earlierWaiter(
  claim: Claim,
  rows: readonly LockRow[],
  waiting: readonly Waiter[],
  self: LockProcess,
): Blocked | undefined {
  const ownIds = new Set(rows.filter((row) => isOwn(row, claim.holder, self)).map(({ id }) => id))
  const missing = claim.requests.filter((request) => !ownIds.has(lockId(request)))
  const isCall = claim.siblingLocks !== undefined
  const before = waiting.filter(({ ticket }) => claim.ticket === undefined || ticket < claim.ticket)
  for (const { holder, requests } of before.filter((waiter) => isCall || waiter.holder !== claim.holder)) {
    const first = requests.find((other) => missing.some((request) => exclude(other, request)))
    if (first !== undefined) return { kind: first.kind, scope: first.scope, holder }
  }
  return undefined
}
