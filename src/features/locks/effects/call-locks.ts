// The locks of one call: taken in order of arrival, after its gates and before its intent is stored; checked before it runs
// and after it has ended; released when its processes have exited.
import type { HeldLock, ToolProcess } from "../../../contract/values.ts"
import type { Blocked } from "../lock-table.ts"
import { isLockType, type LockRequest } from "../conflicts.ts"
import type { Wait } from "../deadlock.ts"
import { LockFault } from "../store/lock-fault.ts"
import { callWaitMs, type Hold, type Locks } from "../store/locks.ts"
import type { Granted } from "../table-change.ts"
import type { SessionContext } from "../../../runner/session-context.ts"

export interface CallLocks {
  /** As the intent records them. */
  readonly held: readonly HeldLock[]
  /** Variables for the call's commands. */
  environment(env: Readonly<Record<string, string>>): Readonly<Record<string, string>>
  /** A sentence if the call has lost a lock. */
  lostLocks(): Promise<string | undefined>
  /** Call it before the process is released from its gate. */
  record(process: ToolProcess): Promise<void>
  release(): Promise<void>
}

export type LocksOutcome =
  | { readonly kind: "taken"; readonly locks: CallLocks }
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "cancelled" }

export interface LockOptions {
  readonly requests: readonly LockRequest[]
  /** What for, without secrets. */
  readonly description: string
  readonly signal: AbortSignal
  readonly progress: (message: string) => void
}

export async function takeCallLocks(
  session: SessionContext,
  locks: Locks,
  options: LockOptions,
): Promise<LocksOutcome> {
  const { requests, description, signal, progress } = options
  const onWait = withoutRepeats(progress, (by: Blocked) => waitingMessage(by, session.id))
  try {
    const attempt = await locks.acquireForCall({ holder: session.id, requests, description, signal, onWait })
    if (attempt.kind === "refused") return { kind: "refused", reason: refusalMessage(attempt.by, session.id) }
    if (attempt.kind === "deadlock") return { kind: "refused", reason: deadlockText(attempt.cycle) }
    if (attempt.kind === "cancelled") return attempt
    const held = heldLocks(attempt.hold.locks)
    if (held.length > 0) progress(`Holds ${lockList(held)}`)
    return { kind: "taken", locks: callLocks(attempt.hold, held) }
  } catch (fault) {
    if (!(fault instanceof LockFault)) throw fault
    return { kind: "refused", reason: `The locks of this home cannot be used: ${fault.message}.` }
  }
}

function callLocks(hold: Hold, held: readonly HeldLock[]): CallLocks {
  return {
    held,
    environment: (env) => (held.length === 0 ? {} : hold.environment(env)),
    lostLocks: () => lostLocksMessage(hold, held),
    record: (process) => hold.record(process),
    release: () => hold.release(),
  }
}

async function lostLocksMessage(hold: Hold, held: readonly HeldLock[]): Promise<string | undefined> {
  try {
    const lost = heldLocks(await hold.lostLocks())
    return lost.length === 0 ? undefined : `The call has lost ${lockList(lost)}, because it was not renewed in time.`
  } catch (fault) {
    if (!(fault instanceof LockFault)) throw fault
    return `It is unknown whether the call still holds ${lockList(held)}: ${fault.message}.`
  }
}

/** Locks of files are not shown. */
function heldLocks(granted: readonly Granted[]): readonly HeldLock[] {
  return granted.flatMap(({ kind, scope, fence }) => (isLockType(kind) ? [{ type: kind, scope, fence }] : []))
}

function lockList(held: readonly HeldLock[]): string {
  return held.map(({ type, scope, fence }) => `the ${type} lock of ${scope} (number ${fence})`).join(", ")
}

function waitingMessage({ kind, holder }: Blocked, self: string): string {
  return `Waiting for ${kind} lock held by ${holder === self ? "another call of this session" : holder}`
}

function refusalMessage({ kind, scope, holder }: Blocked, self: string): string {
  const holderName = holder === self ? "another call of this session" : `session ${holder}`
  return `The ${kind} lock of ${scope} is held or queued for by ${holderName} and was not free for ${callWaitMs / 1000} s. Try again later.`
}

function deadlockText(cycle: readonly Wait[]): string {
  const waits = cycle.map(
    ({ waiter, kind, scope, holder }) =>
      `session ${waiter} waits for the ${kind} lock of ${scope}, which session ${holder} has or is in line for`,
  )
  return `Deadlock: ${waits.join("; ")}. This call came last and did not run. Release a lock that this session holds, then try again.`
}

function withoutRepeats<Value>(
  report: (text: string) => void,
  describe: (value: Value) => string,
): (value: Value) => void {
  let last = ""
  return (value) => {
    const text = describe(value)
    if (text !== last) report(text)
    last = text
  }
}
