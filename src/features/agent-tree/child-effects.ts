// Which children must be kept alive, ended or let go.
import type { SessionState } from "../../session/state.ts"
import { findCall } from "../../session/state.ts"
import type { AgentTreeEffect, ChildState } from "./state.ts"

export function childEffects(state: SessionState): readonly AgentTreeEffect[] {
  return state.children.flatMap((child): readonly AgentTreeEffect[] => {
    const childId = child.id
    const ending = endingOf(state, child)
    if (ending === "leave") return [{ type: "detach-child", id: `detach:${childId}`, childId }]
    const keep = { type: "keep-child", id: `child:${childId}`, childId } as const
    if (ending === undefined) return [keep]
    return [keep, { type: "end-child", id: `end:${childId}:${ending}`, childId, when: ending }]
  })
}

/** A child that worked for a call ends with the call. */
export function endingOf(state: SessionState, { ending, callId }: ChildState): ChildState["ending"] {
  if (ending === "leave" || callId === undefined || findCall(state, callId) !== undefined) return ending
  return "now"
}
