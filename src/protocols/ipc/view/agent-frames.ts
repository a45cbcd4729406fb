// Frames about the parent and the children of an agent, and about locks, which agents share.
import type { EventOf, SessionEvent } from "../../../contract/events.ts"
import type { SessionId } from "../../../contract/ids.ts"
import { shortened } from "../../../contract/text/text.ts"
import { treeDoor } from "../../../contract/rules/session-settings.ts"
import type { AgentMessage } from "../frames.ts"
import type { SessionDelta } from "../../../contract/deltas.ts"
import type { LockListing } from "../../../contract/views/host.ts"
import { checks } from "../generated/shapes.js"
import { withoutTrailing } from "../../../contract/text/text.ts"

export interface AgentFamily {
  readonly sessionId: SessionId
  /** Before the event. */
  readonly parentId: SessionId | undefined
  /** Those that have not ended. */
  readonly children: readonly SessionId[]
  /** Of a child without a model of its own. */
  readonly model: string
}

const MAX_SHOWN_RESULT = 200

export function agentFrames(event: SessionEvent, family: AgentFamily): readonly AgentMessage[] {
  const { sessionId } = family
  switch (event.type) {
    case "child.spawned": {
      const { childId: new_session_id, reason: spawn_reason, model = family.model } = event
      return [{ type: "agent_spawned", new_session_id, parent_session_id: sessionId, spawn_reason, model }]
    }
    case "child.reported":
      return [toast(`Agent ${event.childId}: ${event.status}`, 3000)]
    case "child.detached":
      return [toast(`Agent ${event.childId} was detached`, 2000)]
    case "child.ended":
      return [{ type: "agent_exiting", session_id: event.childId, reason: endReason(event), children_notified: [] }]
    case "session.ending":
      return event.by.door === treeDoor ? parentSignal("parent_exiting", family) : []
    case "session.orphaned":
      return event.by.door === treeDoor ? parentSignal("detached", family) : []
    case "session.ended": {
      const children_notified = [...family.children]
      return [{ type: "agent_exiting", session_id: sessionId, reason: event.reason, children_notified }]
    }
    default:
      return [] // not about agents
  }
}

export function liveChildren(children: readonly SessionId[], event: SessionEvent): readonly SessionId[] {
  if (event.type === "child.spawned") return [...children, event.childId]
  if (event.type !== "child.ended" && event.type !== "child.detached") return children
  return children.filter((childId) => childId !== event.childId)
}

export function toast(message: string, duration_ms: number): AgentMessage {
  return { type: "toast", message, duration_ms }
}

function parentSignal(signal: "parent_exiting" | "detached", { parentId }: AgentFamily): readonly AgentMessage[] {
  return parentId === undefined ? [] : [{ type: "parent_signal_received", signal, parent_session_id: parentId }]
}

function endReason({ outcome, result }: EventOf<"child.ended">): string {
  if (outcome === "done") return "Its work is done"
  return result === "" ? outcome : `${outcome}: ${shortened(result, MAX_SHOWN_RESULT)}`
}

type LockChanged = Extract<SessionDelta, { type: "lock.changed" }>
type HeldLock<Type> = Omit<LockChanged, "type" | "change" | "lock"> & { readonly lock: Type }

/** In whole seconds. The protocol has nine lock types, without those of files. */
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

function isWithin(scope: string, requestedScope: string | null | undefined): boolean {
  if (requestedScope === null || requestedScope === undefined) return true
  const folder = withoutTrailing(requestedScope, "/")
  return scope === requestedScope || scope === folder || scope.startsWith(`${folder}/`)
}
