// Child sessions as their parent sees them. A child's request for approval is noted here, so that it can be answered
// here, and is decided in the session that made it.
import type { Feature } from "../../session/feature.ts"
import * as decide from "./decide.ts"
import { childEffects } from "./child-effects.ts"
import { answered, asked, ended, signalled, spawned } from "./evolve.ts"
import { openChildApprovals, type AgentTreeState } from "./state.ts"

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
    "child.spawned": spawned,
    "child.reported": () => ({}),
    "child.asked": asked,
    "child.answered": answered,
    "child.detached": ({ children }, { childId }) => ({ children: children.filter(({ id }) => id !== childId) }),
    "child.ended": ended,
    "children.signalled": signalled,
  },
  effects: childEffects,
  isLeftToOthers: ({ children }, { id, tool }) =>
    tool === "subagent_collect" || children.some(({ callId }) => callId === id),
  beforeEnd: ({ children }, { by }) =>
    children.length === 0 ? [] : [{ type: "children.signalled", action: "force-shutdown", by }],
  activity: (state) => (openChildApprovals(state).length > 0 ? "waiting for an approval" : undefined),
} satisfies Feature<AgentTreeState>
