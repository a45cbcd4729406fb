// What a claim and the passing of time change in the lock table: the store reads the table, applies these functions in one
// exclusive transaction, and writes the changes. Pure.
import {
  blocker,
  isAbandoned,
  isOwn,
  isStale,
  lockId,
  type Blocked,
  type Claim,
  type LockRow,
  type Machine,
  type Moment,
  type OwnDetails,
  type Waiter,
} from "./lock-table.ts"
import { inOrder, type LockRequest } from "./conflicts.ts"
import { deadlockOf, type Wait } from "./deadlock.ts"

export interface LockTable {
  readonly rows: readonly LockRow[]
  readonly waiting: readonly Waiter[]
  /** The highest numbers that were given to a hold and to a waiter. */
  readonly lastFence: number
  readonly lastTicket: number
}

export interface StoredClaim extends Claim {
  readonly description: string
  /** Whether it takes a place in the queue when it is blocked. */
  readonly canQueue: boolean
}

export interface Granted extends LockRequest {
  readonly id: string
  readonly fence: number
}

export type ClaimResult =
  | { readonly kind: "granted"; readonly locks: readonly Granted[] }
  | { readonly kind: "blocked"; readonly by: Blocked; readonly ticket: number | undefined }
  | { readonly kind: "deadlock"; readonly cycle: readonly Wait[] }

/** A row that a process of Turnhouse wrote. */
export type OwnRow = LockRow & { readonly ownDetails: OwnDetails }

export type TableChange =
  /** The hold is stale and becomes free. */
  | { readonly type: "revoke"; readonly row: LockRow }
  | { readonly type: "leave"; readonly ticket: number }
  | { readonly type: "queue"; readonly waiter: Waiter }
  | { readonly type: "grant"; readonly row: OwnRow }
  /** The holder has the lock already, now also for this use. */
  | { readonly type: "use"; readonly row: OwnRow }

export interface ChangeContext {
  readonly machine: Machine
  readonly at: Moment
  /** In the environment of a holder's processes. */
  readonly mark: (holder: string) => string
  /** Holds that this process considers lost although their rows are still there. */
  readonly isGivenUp?: (ownDetails: OwnDetails) => boolean
}

export interface Swept {
  readonly rows: readonly LockRow[]
  readonly waiting: readonly Waiter[]
  readonly changes: readonly TableChange[]
}

/** The table without stale rows and waiters. */
export function sweepTable({ rows, waiting }: Pick<LockTable, "rows" | "waiting">, context: ChangeContext): Swept {
  const { machine, at, isGivenUp = () => false } = context
  const isFree = (row: LockRow) =>
    isStale(row, machine, at) || (row.ownDetails !== undefined && isGivenUp(row.ownDetails))
  const stale = rows.filter(isFree)
  const abandoned = waiting.filter((waiter) => isAbandoned(waiter, machine, at))
  return {
    rows: rows.filter((row) => !stale.includes(row)),
    waiting: waiting.filter((waiter) => !abandoned.includes(waiter)),
    changes: [
      ...stale.map((row) => ({ type: "revoke", row }) as const),
      ...abandoned.map(({ ticket }) => ({ type: "leave", ticket }) as const),
    ],
  }
}

export interface ClaimOutcome {
  readonly result: ClaimResult
  readonly changes: readonly TableChange[]
}

/** All or nothing. */
export function applyClaim(table: LockTable, claim: StoredClaim, context: ChangeContext): ClaimOutcome {
  const swept = sweepTable(table, context)
  const { self } = context.machine
  const ticket = swept.waiting.find((waiter) => waiter.ticket === claim.ticket)?.ticket // a waiter that was swept has lost its place
  const by = blocker({ ...claim, ticket }, swept.rows, swept.waiting, self)
  const { result, changes } =
    by === undefined
      ? grantAll(table, swept, claim, context)
      : queueClaim(table, swept, { ...claim, ticket }, by, context)
  const leaves = by === undefined && ticket !== undefined ? [{ type: "leave", ticket } as const] : []
  return { result, changes: [...swept.changes, ...leaves, ...changes] }
}

function grantAll(table: LockTable, { rows }: Swept, claim: StoredClaim, context: ChangeContext): ClaimOutcome {
  const { machine } = context
  const ownRows = new Map(rows.filter((row) => isOwn(row, claim.holder, machine.self)).map((row) => [row.id, row]))
  let { lastFence } = table
  const changes: TableChange[] = []
  const locks = inOrder(claim.requests).map((request) => {
    const id = lockId(request)
    const known = ownRows.get(id)
    const fence = known?.ownDetails?.fence ?? (lastFence += 1)
    const row = known === undefined ? newRow(claim, request, fence, context) : inUse(known, claim, fence, context)
    changes.push({ type: known === undefined ? "grant" : "use", row })
    return { ...request, id, fence }
  })
  return { result: { kind: "granted", locks }, changes }
}

function newRow(claim: StoredClaim, request: LockRequest, fence: number, context: ChangeContext): OwnRow {
  const { machine, at, mark } = context
  const { kind, scope, place } = request
  const { holder, description } = claim
  return {
    id: lockId(request),
    kind,
    scope,
    ...(place === undefined ? {} : { place }),
    holder,
    pid: machine.self.pid,
    hostname: machine.hostname,
    acquiredAt: at.now,
    expiresAt: undefined,
    ownDetails: {
      fence,
      description,
      status: "active",
      isDurable: isDurable(claim),
      holderProcesses: { mark: mark(holder), processes: [] },
      process: machine.self,
      heartbeat: at,
    },
  }
}

function inUse(row: LockRow, claim: StoredClaim, fence: number, context: ChangeContext): OwnRow {
  const { ownDetails } = newRow(claim, row, fence, context)
  const known = row.ownDetails ?? ownDetails
  return { ...row, ownDetails: { ...known, isDurable: known.isDurable || isDurable(claim) } }
}

/** A claim without sibling locks is not for a call: it lasts until it is released. */
function isDurable({ siblingLocks }: Claim): boolean {
  return siblingLocks === undefined
}

/** The youngest waiter of a deadlock leaves the queue. */
function queueClaim(
  table: LockTable,
  { rows, waiting }: Swept,
  claim: StoredClaim,
  by: Blocked,
  context: ChangeContext,
): ClaimOutcome {
  const { holder, requests, canQueue } = claim
  const ticket = claim.ticket ?? (canQueue ? table.lastTicket + 1 : undefined)
  if (ticket === undefined) return { result: { kind: "blocked", by, ticket }, changes: [] }
  const others = waiting.filter((waiter) => waiter.ticket !== ticket)
  const cycle = deadlockOf(ticket, rows, [...others, { ticket, holder, requests }])
  const isQueued = claim.ticket !== undefined
  if (cycle !== undefined)
    return { result: { kind: "deadlock", cycle }, changes: isQueued ? [{ type: "leave", ticket }] : [] }
  const changes = isQueued ? [] : [{ type: "queue", waiter: newWaiter(claim, ticket, context) } as const]
  return { result: { kind: "blocked", by, ticket }, changes }
}

function newWaiter({ holder, requests, description }: StoredClaim, ticket: number, context: ChangeContext): Waiter {
  const { machine, at } = context
  return { ticket, holder, requests, description, queuedAt: at.now, process: machine.self, heartbeat: at }
}
