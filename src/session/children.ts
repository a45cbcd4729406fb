// Child sessions as their parent sees them: who may be spawned, and what is said to those that live.
import type { CommandOf } from "../contract/commands.ts"
import { accepted, refused, type Decision, type Stamp } from "./decision.ts"
import type { SessionState } from "./state.ts"

export function spawnChild(state: SessionState, command: CommandOf<"spawn">): Decision {
  const { childId, task, model } = command
  const { depth, children } = state.created?.limits ?? { depth: 0, children: 0 }
  if ((state.created?.parent?.depth ?? 0) >= depth) return refused({ code: "child.too-deep", limit: depth })
  if (isKnown(state, childId)) return refused({ code: "child.exists", childId })
  if (state.children.length >= children) return refused({ code: "child.too-many", limit: children })
  return accepted({ type: "child.spawned", childId, task, reason: command.reason ?? "Child agent", model })
}

/** An ended child stays known: it must not be paid for twice. */
function isKnown(state: SessionState, childId: string): boolean {
  if (state.created?.sessionId === childId || state.endedChildren.includes(childId)) return true
  return state.children.some((child) => child.id === childId)
}

export function signalChildren(state: SessionState, command: CommandOf<"signal-children">, stamp: Stamp): Decision {
  if (state.children.length === 0) return accepted()
  return accepted({ type: "children.signalled", action: command.action, by: stamp.by })
}
