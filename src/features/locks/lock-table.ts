// The lock book at one moment, and what may be granted by it. Pure: whoever asks brings the rows, the time and word of
// which processes live. A holder that does not renew its locks loses them; fencing makes that harmless for one that was
// only slow.
import type { ToolProcess } from "../../contract/values.ts"
import { blocks, exclude, type LockKind, type Want } from "./conflicts.ts"

/** A process as it can be told from every other, before and after it. */
export interface LockProcess {
  readonly pid: number
  readonly startTime: string
  /** Pids and ticks mean something only inside one boot. */
  readonly bootId: string
}

/** Wall clock, and one that goes on evenly for all processes of a boot, whatever is done to the other. */
export interface Moment {
  readonly now: number
  readonly ticks: number
}

/** Who wrote a row, as far as Turnhouse itself did. */
export interface Renewed {
  readonly process: LockProcess
  /** When it was last renewed. */
  readonly beat: Moment
}

export interface LockRow extends Want {
  readonly id: string
  /** The session, or the agent of another program. */
  readonly holder: string
  readonly pid: number
  readonly hostname: string
  readonly acquiredAt: number
  readonly expiresAt: number | undefined
  /** Absent in rows of other programs. */
  readonly own: OwnDetails | undefined
}

export interface OwnDetails extends Renewed {
  readonly fence: number
  readonly description: string
  readonly status: string
  /** Held until it is given back, not only for a call. */
  readonly lasts: boolean
  readonly work: HolderWork
}

/** By what the processes of a holder are found when its host is gone. */
export interface HolderWork {
  /** In the environment of whatever the holder starts; empty in rows of older releases. */
  readonly mark: string
  readonly processes: readonly ToolProcess[]
}

export interface Waiter extends Renewed {
  readonly ticket: number
  readonly holder: string
  readonly wants: readonly Want[]
  readonly description: string
  readonly since: number
}

export interface Claim {
  readonly holder: string
  readonly wants: readonly Want[]
  /** Its place in the queue, if it has one. */
  readonly ticket?: number | undefined
  /** Of a call: what other calls of the same holder are busy with. A holder does not exclude itself, but its calls do. */
  readonly beside?: readonly Want[]
}

export interface Blocked {
  readonly kind: LockKind
  readonly scope: string
  readonly holder: string
}

/** What is known of the processes of this machine. */
export interface Machine {
  readonly me: LockProcess
  readonly hostname: string
  /** False only when it is certainly gone. */
  isAlive(process: LockProcess): boolean
  /** The same of a process of which only the number is known. */
  isPidAlive(pid: number): boolean
  /** Whether what a dead host has started under this hold is known to be gone. */
  isCleared(own: OwnDetails): boolean
}

/** Three missed renewals. */
export const staleAfterMs = 15_000
export const renewEveryMs = 5000

export function lockId(kind: LockKind, scope: string): string {
  return `${kind}:${scope}`
}

export function isStale(row: LockRow, machine: Machine, moment: Moment): boolean {
  if (row.expiresAt !== undefined && row.expiresAt <= moment.now) return true
  if (row.own !== undefined) return isGone(row.own, machine, moment) && !isOrphaned(row.own, machine)
  return row.hostname === machine.hostname && !machine.isPidAlive(row.pid)
}

/** The process has ended, or has not renewed what it has for so long that it may as well have. */
export function isGone({ process, beat }: Renewed, machine: Machine, { now, ticks }: Moment): boolean {
  // A beat of the time to come was before the clock was set back, by a process that has not lived to see it.
  if (process.bootId !== machine.me.bootId) return Math.abs(now - beat.now) > staleAfterMs
  return !machine.isAlive(process) || ticks - beat.ticks > staleAfterMs
}

/** The host is dead, but processes that it started under this hold may live: the lock is not free before they are gone. */
export function isOrphaned(own: OwnDetails, machine: Machine): boolean {
  if (own.process.bootId !== machine.me.bootId || machine.isAlive(own.process)) return false
  return !machine.isCleared(own)
}

export function isMine(row: LockRow, holder: string, me: LockProcess): boolean {
  return row.holder === holder && row.own !== undefined && isSame(row.own.process, me)
}

export function isSame(one: LockProcess, other: LockProcess): boolean {
  return one.pid === other.pid && one.startTime === other.startTime && one.bootId === other.bootId
}

/** The holder, or the first waiter. The caller passes no stale rows and waiters. */
export function blocker(
  claim: Claim,
  rows: readonly LockRow[],
  waiting: readonly Waiter[],
  me: LockProcess,
): Blocked | undefined {
  const busy = claim.beside?.find((theirs) => claim.wants.some((want) => exclude(theirs, want)))
  if (busy !== undefined) return { kind: busy.kind, scope: busy.scope, holder: claim.holder }
  const others = rows.filter((row) => !isMine(row, claim.holder, me))
  const held = claim.wants.flatMap((want) => others.filter((row) => blocks(row, want)))[0]
  if (held !== undefined) return { kind: held.kind, scope: held.scope, holder: held.holder }
  return ahead(claim, rows, waiting, me)
}

/** Whoever came before and wants what excludes it. Nobody stands in line for what they have already: the next one in
 *  line waits for them. */
function ahead(
  claim: Claim,
  rows: readonly LockRow[],
  waiting: readonly Waiter[],
  me: LockProcess,
): Blocked | undefined {
  const mine = new Set(rows.filter((row) => isMine(row, claim.holder, me)).map(({ id }) => id))
  const missing = claim.wants.filter(({ kind, scope }) => !mine.has(lockId(kind, scope)))
  const isCall = claim.beside !== undefined
  const before = waiting.filter(({ ticket }) => claim.ticket === undefined || ticket < claim.ticket)
  for (const { holder, wants } of before.filter((waiter) => isCall || waiter.holder !== claim.holder)) {
    const first = wants.find((theirs) => missing.some((want) => exclude(theirs, want)))
    if (first !== undefined) return { kind: first.kind, scope: first.scope, holder }
  }
  return undefined
}
