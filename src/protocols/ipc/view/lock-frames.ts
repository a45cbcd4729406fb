// Locks in the form of this protocol: whole seconds, and nine lock types without those of files.
import type { SessionDelta } from "../../../contract/deltas.ts"
import type { LockListing } from "../../../contract/views/host.ts"
import type { AgentMessage } from "../frames.ts"
import { checks } from "../generated/shapes.js"
import { withoutTrailing } from "../../../contract/text/text.ts"

type LockChanged = Extract<SessionDelta, { type: "lock.changed" }>
type HeldLock<Type> = Omit<LockChanged, "type" | "change" | "lock"> & { readonly lock: Type }

export function lockChanged({ change, ...held }: LockChanged): AgentMessage {
  const lock = lockInfo(held)
  return { type: "lock_changed", change, lock: change === "released" ? { ...lock, ...released } : lock }
}

/** A released lock has no description; that of a lost one may explain the loss. */
const released = { description: "", status: "released" }

/** The listed locks that have a type here, of a scope and everything below it. */
export function lockStatus({ held }: LockListing, scope: string | null | undefined): AgentMessage {
  const locks = held.map(lockInfo).filter(checks.lock_info)
  return { type: "lock_status", locks: locks.filter((lock) => isWithin(lock.scope, scope)) }
}

function lockInfo<Type>({ holder, lock, scope, description, status, heldMs }: HeldLock<Type>) {
  const held_for_secs = Math.floor(heldMs / 1000)
  return { agent_id: holder, resource_type: lock, scope, description, status, held_for_secs }
}

function isWithin(scope: string, wanted: string | null | undefined): boolean {
  if (wanted === null || wanted === undefined) return true
  const folder = withoutTrailing(wanted, "/")
  return scope === wanted || scope === folder || scope.startsWith(`${folder}/`)
}
