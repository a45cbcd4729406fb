// Hibernating and waking. What runs is cut off as after a crash: streamed text becomes a fact, an unsafe call that was
// running is unsettled.
import type { SessionCommand } from "../../contract/commands.ts"
import type { CallId } from "../../contract/ids.ts"
import { accepted, type Decision, type Stamp } from "../../session/decision.ts"
import { recover } from "../../session/recover.ts"
import { openCalls, type SessionState } from "../../session/state.ts"

export function hibernate(state: SessionState, stamp: Stamp): Decision {
  if (state.asleep || state.life !== "open") return accepted()
  const evidence: Record<CallId, string> = {}
  for (const { id } of openCalls(state)) evidence[id] = "It was stopped when the session was put to rest."
  return accepted(...recover(state, evidence, stamp), { type: "session.hibernated", by: stamp.by })
}

/** A session that has ended is reopened. */
export function wake(state: SessionState, stamp: Stamp): Decision {
  if (state.life === "ended") return accepted({ type: "session.reopened", by: stamp.by })
  return state.asleep ? accepted({ type: "session.woken", by: stamp.by }) : accepted()
}

const waking: ReadonlySet<SessionCommand["type"]> = new Set(["prompt", "resume", "approve", "answer", "verify"])

/** A prompt or an answer to a hibernated session wakes it. */
export function withWake(
  state: SessionState,
  command: SessionCommand,
  decision: Decision,
  stamp: Stamp,
): Decision | undefined {
  if (!state.asleep) return undefined
  if (command.type === "resume" && state.turn?.parked === undefined) return wake(state, stamp)
  if (!waking.has(command.type)) return undefined
  if (decision.kind === "refused" || decision.events.length === 0) return undefined
  return accepted({ type: "session.woken", by: stamp.by }, ...decision.events)
}
