// Hibernation: a session rests, even mid-turn, until it is woken. Running work is cut off as after a crash: streamed text
// is stored, a running unsafe call becomes unsettled.
import type { Feature } from "../../session/feature.ts"
import type { HibernationState } from "./state.ts"
import type { SessionCommand } from "../../contract/commands.ts"
import type { CallId } from "../../contract/ids.ts"
import { accepted, type Decision, type Stamp } from "../../session/decision.ts"
import { recover } from "../../session/recover.ts"
import { openCalls, type SessionState } from "../../session/state.ts"

export const hibernation = {
  initial: { asleep: false },
  commands: { hibernate: (state, _, stamp) => hibernate(state, stamp), wake: (state, _, stamp) => wake(state, stamp) },
  evolve: {
    "session.hibernated": () => ({ asleep: true }),
    "session.woken": () => ({ asleep: false }),
    "session.ended": () => ({ asleep: false }),
  },
  isSuspended: ({ asleep }) => asleep,
  afterDecision: withWake,
  activity: ({ asleep }) => (asleep ? "hibernated" : undefined),
} satisfies Feature<HibernationState>

function hibernate(state: SessionState, stamp: Stamp): Decision {
  if (state.asleep || state.life !== "open") return accepted()
  const evidence: Record<CallId, string> = {}
  for (const { id } of openCalls(state)) evidence[id] = "It was stopped when the session was hibernated."
  return accepted(...recover(state, evidence, stamp), { type: "session.hibernated", by: stamp.by })
}

/** A session that has ended is reopened. */
function wake(state: SessionState, stamp: Stamp): Decision {
  if (state.life === "ended") return accepted({ type: "session.reopened", by: stamp.by })
  return state.asleep ? accepted({ type: "session.woken", by: stamp.by }) : accepted()
}

const WAKING_COMMANDS: ReadonlySet<SessionCommand["type"]> = new Set([
  "prompt",
  "resume",
  "approve",
  "answer",
  "verify",
])

/** A prompt or an answer to a hibernated session wakes it. */
function withWake(
  state: SessionState,
  command: SessionCommand,
  decision: Decision,
  stamp: Stamp,
): Decision | undefined {
  if (!state.asleep) return undefined
  if (command.type === "resume" && state.turn?.parked === undefined) return wake(state, stamp)
  if (!WAKING_COMMANDS.has(command.type)) return undefined
  if (decision.kind === "refused" || decision.events.length === 0) return undefined
  return accepted({ type: "session.woken", by: stamp.by }, ...decision.events)
}
