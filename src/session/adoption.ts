// Adopts a turn that a dead host left open. A turn that was adopted too often without progress, or was left long ago, is
// parked until a person resumes it.
import type { SessionEvent } from "../contract/events.ts"
import { limits } from "../contract/limits.ts"
import type { Stamp } from "./decision.ts"
import { features } from "./features.ts"
import type { Adopt } from "./report.ts"
import { isSuspended } from "./required-effects.ts"
import { openCalls, type CallState, type SessionState, type TurnState } from "./state.ts"

export function adoptTurn(state: SessionState, { host, idleSince }: Adopt, stamp: Stamp): readonly SessionEvent[] {
  const { turn } = state
  if (turn === undefined || turn.parked !== undefined || isSuspended(state) || waitsForOthers(state, turn)) return []
  if (stamp.at - idleSince > limits.adoptionAgeMs)
    return [parkedEvent(turn, "The host that ran this turn ended long ago. Resume it to continue.")]
  if (turn.adoptions >= limits.adoptions)
    return [parkedEvent(turn, `The turn was adopted ${turn.adoptions} times without progress. Resume it to try again.`)]
  return [{ type: "turn.adopted", turnId: turn.id, host, attempt: turn.adoptions + 1 }]
}

/** Such a turn waits for a person, or for an agent whose own turn is adopted separately. */
function waitsForOthers(state: SessionState, { step }: TurnState): boolean {
  return (
    step?.answered === true && openCalls(state).every((call) => call.phase === "asked" || waitsForAgent(state, call))
  )
}

function waitsForAgent(state: SessionState, call: CallState): boolean {
  return features.some((feature) => feature.waitsForAgent?.(state, call) === true)
}

function parkedEvent({ id: turnId }: TurnState, message: string): SessionEvent {
  return { type: "turn.parked", turnId, why: "adoption", message }
}
