// The arms of the fold that are about children. A child is in the state while it lives; what it asks for is noted here
// so that it can be answered here, and decided where it was asked.
import type { EventOf } from "../../contract/events.ts"
import { limits } from "../../contract/limits.ts"
import { remembered } from "../../session/remembered.ts"
import type { ChildState, SessionState } from "../../session/state.ts"

export type ChildEvent = EventOf<
  | "child.spawned"
  | "child.reported"
  | "child.asked"
  | "child.answered"
  | "child.detached"
  | "child.ended"
  | "children.signalled"
>

export function evolveChildren(state: SessionState, event: ChildEvent): SessionState {
  switch (event.type) {
    case "child.spawned":
      return { ...state, children: [...state.children, newChild(event)] }
    case "child.reported":
      return state
    case "child.asked":
      return asked(state, event)
    case "child.answered":
      return answered(state, event)
    case "child.detached":
      return { ...state, children: without(state, event.childId) }
    case "child.ended":
      return ended(state, event)
    case "children.signalled":
      return {
        ...state,
        children: state.children.map((child) => ({ ...child, ending: endingOf(child, event.action) })),
      }
  }
}

function newChild(event: EventOf<"child.spawned">): ChildState {
  const { childId: id, task, reason, model, cwd, system, callId, worktree } = event
  const child: ChildState = { id, task, reason, model, cwd, system, callId, ending: undefined }
  return worktree === undefined ? child : { ...child, hasWorktree: true }
}

function asked(state: SessionState, event: EventOf<"child.asked">): SessionState {
  const { approvalId: id, childId, sessionId } = event
  const approval = { id, childId, sessionId, outcome: undefined, by: undefined, seq: state.seq + 1 }
  return { ...state, childApprovals: remembered([...state.childApprovals, approval]) }
}

function answered(state: SessionState, { approvalId, outcome, by }: EventOf<"child.answered">): SessionState {
  const childApprovals = state.childApprovals.map((approval) =>
    approval.id === approvalId ? { ...approval, outcome, by } : approval,
  )
  return { ...state, childApprovals }
}

function ended(state: SessionState, event: EventOf<"child.ended">): SessionState {
  const child = state.children.find(({ id }) => id === event.childId)
  const one = {
    id: event.childId,
    seq: state.seq + 1,
    ...(child?.hasWorktree === true && { hadWorktree: true as const }),
  }
  const endedChildren = [...state.endedChildren, one].slice(-limits.rememberedChildren)
  const spent = { usd: state.spent.usd + event.costUsd, tokens: state.spent.tokens + event.tokens }
  const taintedBy = event.untrustedSource ?? state.taintedBy
  return { ...state, children: without(state, event.childId), endedChildren, spent, taintedBy }
}

/** A child that leaves is not called back, and a stop is not softened. */
function endingOf({ ending }: ChildState, action: EventOf<"children.signalled">["action"]): ChildState["ending"] {
  if (ending === "leave") return ending
  if (action === "detach") return "leave"
  return action === "force-shutdown" || ending === "now" ? "now" : "idle"
}

function without(state: SessionState, childId: string): readonly ChildState[] {
  return state.children.filter((child) => child.id !== childId)
}
