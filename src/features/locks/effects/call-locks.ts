// The locks of one call: taken in order of arrival, after its gates and before its intent is stored; checked before it runs
// and after it has ended; released when its processes have exited.
import type { HeldLock, ToolProcess } from "../../../contract/values.ts"
import type { Blocked } from "../lock-table.ts"
import { isLockType, type Want } from "../conflicts.ts"
import type { Wait } from "../deadlock.ts"
import { LockFault } from "../store/lock-fault.ts"
import { callWaitMs, type Hold, type Locks } from "../store/locks.ts"
import type { Granted } from "../store/store.ts"
import type { SessionContext } from "../../../runner/session-context.ts"

export interface CallLocks {
  /** As the intent records them. */
  readonly held: readonly HeldLock[]
  /** Variables for the call's commands. */
  environment(env: Readonly<Record<string, string>>): Readonly<Record<string, string>>
  /** A sentence if the call has lost a lock. */
  lost(): Promise<string | undefined>
  /** Call it before the process is released from its gate. */
  record(process: ToolProcess): Promise<void>
  release(): Promise<void>
}

export type LocksOutcome =
  | { readonly kind: "taken"; readonly locks: CallLocks }
  | { readonly kind: "refused"; readonly why: string }
  | { readonly kind: "cancelled" }

export interface LockWish {
  readonly wants: readonly Want[]
  /** What for, without secrets. */
  readonly description: string
  readonly signal: AbortSignal
  readonly progress: (message: string) => void
}

export async function takeCallLocks(session: SessionContext, locks: Locks, wish: LockWish): Promise<LocksOutcome> {
  const { wants, description, signal, progress } = wish
  const onWait = sayingOnce(progress, (by: Blocked) => waitingWords(by, session.id))
  try {
    const taken = await locks.take({ holder: session.id, wants, description, signal, onWait })
    if (taken.kind === "refused") return { kind: "refused", why: refusalWords(taken.by, session.id) }
    if (taken.kind === "deadlock") return { kind: "refused", why: deadlockText(taken.circle) }
    if (taken.kind === "cancelled") return taken
    const held = heldLocks(taken.hold.locks)
    if (held.length > 0) progress(`Holds ${named(held)}`)
    return { kind: "taken", locks: callLocks(taken.hold, held) }
  } catch (fault) {
    if (!(fault instanceof LockFault)) throw fault
    return { kind: "refused", why: `The locks of this home cannot be used: ${fault.message}.` }
  }
}

function callLocks(hold: Hold, held: readonly HeldLock[]): CallLocks {
  return {
    held,
    environment: (env) => (held.length === 0 ? {} : hold.environment(env)),
    lost: () => lostWords(hold, held),
    record: (process) => hold.record(process),
    release: () => hold.release(),
  }
}

async function lostWords(hold: Hold, held: readonly HeldLock[]): Promise<string | undefined> {
  try {
    const gone = heldLocks(await hold.lost())
    return gone.length === 0 ? undefined : `The call has lost ${named(gone)}, because it was not renewed in time.`
  } catch (fault) {
    if (!(fault instanceof LockFault)) throw fault
    return `It is unknown whether the call still holds ${named(held)}: ${fault.message}.`
  }
}

/** Locks of files are not shown. */
function heldLocks(granted: readonly Granted[]): readonly HeldLock[] {
  return granted.flatMap(({ kind, scope, fence }) => (isLockType(kind) ? [{ type: kind, scope, fence }] : []))
}

function named(held: readonly HeldLock[]): string {
  return held.map(({ type, scope, fence }) => `the ${type} lock of ${scope} (number ${fence})`).join(", ")
}

function waitingWords({ kind, holder }: Blocked, self: string): string {
  return `Waiting for ${kind} lock held by ${holder === self ? "another call of this session" : holder}`
}

function refusalWords({ kind, scope, holder }: Blocked, self: string): string {
  const who = holder === self ? "another call of this session" : `session ${holder}`
  return `The ${kind} lock of ${scope} is held or queued for by ${who} and was not free for ${callWaitMs / 1000} s. Try again later.`
}

function deadlockText(circle: readonly Wait[]): string {
  const waits = circle.map(
    ({ waiter, kind, scope, holder }) =>
      `session ${waiter} waits for the ${kind} lock of ${scope}, which session ${holder} has or is in line for`,
  )
  return `Deadlock: ${waits.join("; ")}. This call came last and did not run. Release a lock that this session holds, then try again.`
}

function sayingOnce<Value>(say: (text: string) => void, words: (value: Value) => string): (value: Value) => void {
  let last = ""
  return (value) => {
    const text = words(value)
    if (text !== last) say(text)
    last = text
  }
}
