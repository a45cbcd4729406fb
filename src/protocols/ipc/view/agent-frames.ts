// What viewers are told of an agent's parent and children. That a child is there is told when it was asked for; whether
// it can be reached already is known to the door.
import type { EventOf, SessionEvent } from "../../../contract/events.ts"
import type { SessionId } from "../../../contract/ids.ts"
import { treeDoor } from "../../../contract/tree-door.ts"
import { shortened } from "./approval-text.ts"
import type { AgentMessage } from "../frames.ts"

export interface Family {
  readonly sessionId: SessionId
  /** Before the event. */
  readonly parentId: SessionId | undefined
  /** Those that live. */
  readonly children: readonly SessionId[]
  /** What a child gets that was not given one of its own. */
  readonly model: string
}

const shownResult = 200

export function familyFrames(event: SessionEvent, family: Family): readonly AgentMessage[] {
  switch (event.type) {
    case "child.spawned":
      return [spawned(event, family)]
    case "child.reported":
      return [toast(`Agent ${event.childId}: ${event.status}`, 3000)]
    case "child.detached":
      return [toast(`Agent ${event.childId} goes on by itself`, 2000)]
    case "child.ended":
      return [{ type: "agent_exiting", session_id: event.childId, reason: endWords(event), children_notified: [] }]
    case "session.ending":
      return event.by.door === treeDoor ? parentSignal("parent_exiting", family) : []
    case "session.orphaned":
      return event.by.door === treeDoor ? parentSignal("detached", family) : []
    case "session.ended": {
      const { sessionId: session_id, children } = family
      return [{ type: "agent_exiting", session_id, reason: event.reason, children_notified: [...children] }]
    }
    default:
      return [] // about something else
  }
}

export function livingChildren(children: readonly SessionId[], event: SessionEvent): readonly SessionId[] {
  if (event.type === "child.spawned") return [...children, event.childId]
  if (event.type !== "child.ended" && event.type !== "child.detached") return children
  return children.filter((childId) => childId !== event.childId)
}

export function toast(message: string, duration_ms: number): AgentMessage {
  return { type: "toast", message, duration_ms }
}

function spawned({ childId, reason, model }: EventOf<"child.spawned">, family: Family): AgentMessage {
  return {
    type: "agent_spawned",
    new_session_id: childId,
    parent_session_id: family.sessionId,
    spawn_reason: reason,
    model: model ?? family.model,
  }
}

function parentSignal(signal: "parent_exiting" | "detached", { parentId }: Family): readonly AgentMessage[] {
  return parentId === undefined ? [] : [{ type: "parent_signal_received", signal, parent_session_id: parentId }]
}

function endWords({ outcome, result }: EventOf<"child.ended">): string {
  if (outcome === "done") return "Its work is done"
  return result === "" ? outcome : `${outcome}: ${shortened(result, shownResult)}`
}
