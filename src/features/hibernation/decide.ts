// Putting a session to rest, whatever it is doing, and waking it. What runs is cut off as after a crash, with the
// difference that it is known why: text in the air becomes a fact, an unsafe call that was running is unsettled.
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

/** One that has ended comes back: whoever wakes it wants it there. */
export function wake(state: SessionState, stamp: Stamp): Decision {
  if (state.life === "ended") return accepted({ type: "session.reopened", by: stamp.by })
  return state.asleep ? accepted({ type: "session.woken", by: stamp.by }) : accepted()
}

const waking: ReadonlySet<SessionCommand["type"]> = new Set(["prompt", "resume", "approve", "answer", "verify"])

/** Whoever speaks to a sleeping session, or answers it, wants it awake. */
export function wokenBy(state: SessionState, command: SessionCommand, decision: Decision, stamp: Stamp): Decision {
  if (!state.asleep) return decision
  if (command.type === "resume" && state.turn?.parked === undefined) return wake(state, stamp)
  if (!waking.has(command.type)) return decision
  if (decision.kind === "refused" || decision.events.length === 0) return decision
  return accepted({ type: "session.woken", by: stamp.by }, ...decision.events)
}
