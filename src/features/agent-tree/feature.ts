// Child sessions as their parent sees them; a child is in the state while it lives. A child's request for approval is
// recorded here, so that it can be answered here, and is decided in the session that made it.
import type { Feature } from "../../session/feature.ts"
import * as decide from "./decide.ts"
import { openChildApprovals, type AgentTreeState, type ChildState, type AgentTreeEffect } from "./state.ts"
import type { EventOf } from "../../contract/events.ts"
import { limits } from "../../contract/limits.ts"
import { withoutOldestSettled } from "../approvals/state.ts"
import { type SessionState, findCall } from "../../session/state.ts"

export const agentTree = {
  initial: { children: [], endedChildren: [], childApprovals: [] },
  commands: {
    spawn: decide.spawnChild,
    "signal-children": decide.signalChildren,
    orphan: (state, _, stamp) => decide.orphanSession(state, stamp),
  },
  reports: {
    "child-reported": decide.childReported,
    "child-asked": decide.childAsked,
    "child-answered": decide.childAnswered,
    "child-detached": decide.childDetached,
    "child-ended": decide.childEnded,
  },
  evolve: {
    "child.spawned": ({ children }, event) => {
      const {
        childId: id,
        task,
        reason,
        model,
        thinking,
        cwd,
        system,
        callId,
        worktree,
        tools,
        preset,
        documents,
      } = event
      const child: ChildState = { id, task, reason, model, thinking, cwd, system, callId, ending: undefined }
      const extra = {
        ...(worktree !== undefined && { hasWorktree: true as const }),
        ...(tools !== undefined && { tools }),
        ...(preset !== undefined && { preset }),
        ...(documents !== undefined && { documents }),
      }
      return { children: [...children, { ...child, ...extra }] }
    },
    "child.reported": () => ({}),
    "child.asked": ({ childApprovals }, { approvalId: id, childId, sessionId }, seq) => ({
      childApprovals: withoutOldestSettled([
        ...childApprovals,
        { id, childId, sessionId, outcome: undefined, by: undefined, seq },
      ]),
    }),
    "child.answered": ({ childApprovals }, { approvalId, outcome, by }) => ({
      childApprovals: childApprovals.map((approval) =>
        approval.id === approvalId ? { ...approval, outcome, by } : approval,
      ),
    }),
    "child.detached": ({ children }, { childId }) => ({ children: children.filter(({ id }) => id !== childId) }),
    "child.ended": ({ children, endedChildren }, { childId: id }, seq) => {
      const child = children.find((other) => other.id === id)
      const hadWorktree = child?.hasWorktree === true && { hadWorktree: true as const }
      return {
        children: children.filter((other) => other !== child),
        endedChildren: [...endedChildren, { id, seq, ...hadWorktree }].slice(-limits.rememberedChildren),
      }
    },
    "children.signalled": ({ children }, { action }) => ({
      children: children.map((child) => ({ ...child, ending: endingAfter(child, action) })),
    }),
  },
  effects: (state) => state.children.flatMap((child) => childEffects(child, endingOf(state, child))),
  waitsForAgent: ({ children }, { id, tool }) =>
    tool === "subagent_collect" || children.some(({ callId }) => callId === id),
  beforeEnd: ({ children }, { by }) =>
    children.length === 0 ? [] : [{ type: "children.signalled", action: "force-shutdown", by }],
  activity: (state) => (openChildApprovals(state).length > 0 ? "waiting for an approval" : undefined),
} satisfies Feature<AgentTreeState>

/** A detached child stays detached, and an immediate stop stays immediate. */
function endingAfter({ ending }: ChildState, action: EventOf<"children.signalled">["action"]): ChildState["ending"] {
  if (ending === "leave") return ending
  if (action === "detach") return "leave"
  return action === "force-shutdown" || ending === "now" ? "now" : "idle"
}

function childEffects({ id: childId }: ChildState, ending: ChildState["ending"]): readonly AgentTreeEffect[] {
  if (ending === "leave") return [{ type: "detach-child", id: `detach:${childId}`, childId }]
  const keep = { type: "keep-child", id: `child:${childId}`, childId } as const
  if (ending === undefined) return [keep]
  return [keep, { type: "end-child", id: `end:${childId}:${ending}`, childId, when: ending }]
}

/** A child that worked for a call ends with the call. */
export function endingOf(state: SessionState, { ending, callId }: ChildState): ChildState["ending"] {
  if (ending === "leave" || callId === undefined || findCall(state, callId) !== undefined) return ending
  return "now"
}
