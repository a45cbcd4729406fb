// The folds of the agent tree. A child is in the state while it lives.
import type { EventOf } from "../../contract/events.ts"
import { limits } from "../../contract/limits.ts"
import { remembered } from "../approvals/state.ts"
import type { AgentTreeState, ChildState } from "./state.ts"

type Change = Partial<AgentTreeState>

export function spawned({ children }: AgentTreeState, event: EventOf<"child.spawned">): Change {
  const { childId: id, task, reason, model, cwd, system, callId, worktree } = event
  const child: ChildState = { id, task, reason, model, cwd, system, callId, ending: undefined }
  return { children: [...children, worktree === undefined ? child : { ...child, hasWorktree: true }] }
}

export function asked({ childApprovals }: AgentTreeState, event: EventOf<"child.asked">, seq: number): Change {
  const { approvalId: id, childId, sessionId } = event
  const approval = { id, childId, sessionId, outcome: undefined, by: undefined, seq }
  return { childApprovals: remembered([...childApprovals, approval]) }
}

export function answered({ childApprovals }: AgentTreeState, event: EventOf<"child.answered">): Change {
  const { approvalId, outcome, by } = event
  return {
    childApprovals: childApprovals.map((approval) =>
      approval.id === approvalId ? { ...approval, outcome, by } : approval,
    ),
  }
}

export function ended(state: AgentTreeState, { childId: id }: EventOf<"child.ended">, seq: number): Change {
  const child = state.children.find((other) => other.id === id)
  const hadWorktree = child?.hasWorktree === true && { hadWorktree: true as const }
  return {
    children: state.children.filter((other) => other !== child),
    endedChildren: [...state.endedChildren, { id, seq, ...hadWorktree }].slice(-limits.rememberedChildren),
  }
}

export function signalled({ children }: AgentTreeState, { action }: EventOf<"children.signalled">): Change {
  return { children: children.map((child) => ({ ...child, ending: endingAfter(child, action) })) }
}

/** A child that leaves is not called back, and a stop is not softened. */
function endingAfter({ ending }: ChildState, action: EventOf<"children.signalled">["action"]): ChildState["ending"] {
  if (ending === "leave") return ending
  if (action === "detach") return "leave"
  return action === "force-shutdown" || ending === "now" ? "now" : "idle"
}
