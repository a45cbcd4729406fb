// What follows without a command or report: a waiting prompt starts a turn, a turn starts a step, an answered step whose
// calls all have a result ends. Called until nothing follows.
import type { EventOf, SessionEvent } from "../contract/events.ts"
import { settingsOf } from "../contract/rules/session-settings.ts"
import { limits } from "../contract/limits.ts"
import type { Stamp } from "./decision.ts"
import { features } from "./features.ts"
import { isSuspended } from "./required-effects.ts"
import type { SessionState, TurnState } from "./state.ts"
import { eventsBeforeEnd } from "./stopping.ts"

export function advance(state: SessionState, stamp: Stamp): readonly SessionEvent[] {
  if (state.life !== "open" || state.compaction !== undefined || isSuspended(state)) return []
  if (state.turn !== undefined) return advanceTurn(state, state.turn, stamp)
  if (features.some((feature) => feature.holdsPrompts?.(state) === true)) return []
  const next = state.waiting[0]
  if (next !== undefined) return startTurn(state, next, stamp)
  if (!state.endsWhenIdle) return []
  return [...eventsBeforeEnd(state, stamp), { type: "session.ended", reason: "it was to end when idle" }]
}

function startTurn(state: SessionState, prompt: EventOf<"prompt.admitted">, stamp: Stamp): readonly SessionEvent[] {
  const turnId = `trn_${stamp.id}` as const
  const { promptId, model, skill, reference, visitId } = prompt
  const fields: Partial<EventOf<"turn.started">> = {}
  for (const feature of features) Object.assign(fields, feature.turnFields?.(state))
  return [
    { ...fields, type: "turn.started", turnId, model, skill, reference, visitId },
    { type: "prompt.promoted", promptId, turnId },
  ]
}

function advanceTurn(state: SessionState, turn: TurnState, stamp: Stamp): readonly SessionEvent[] {
  if (turn.parked !== undefined) return []
  if (turn.step === undefined) return afterStep(state, turn, stamp)
  if (!turn.step.answered) return []
  if (turn.step.calls.some((call) => call.phase !== "settled")) return []
  return [{ type: "step.ended", stepId: turn.step.id }]
}

function shortfallOf({ finish }: TurnState): Pick<EventOf<"turn.ended">, "finish"> {
  return finish === undefined || finish === "stop" || finish === "tool-calls" || finish === "other" ? {} : { finish }
}

/** Between two steps: the only place where prompts join a running turn. */
function afterStep(state: SessionState, turn: TurnState, stamp: Stamp): readonly SessionEvent[] {
  if (features.some((feature) => feature.holdsTurn?.(state, stamp) === true)) return []
  if (turn.over) return [{ type: "turn.ended", turnId: turn.id, reason: "done", ...shortfallOf(turn) }]
  if (turn.steps >= (state.created?.limits.stepsPerTurn ?? Infinity)) {
    return [{ type: "turn.ended", turnId: turn.id, reason: "step-limit" }]
  }
  if (isStuck(state, turn)) {
    return [{ type: "turn.ended", turnId: turn.id, reason: "failed", error: NO_USABLE_CALL }]
  }
  const steering = turn.steps === 0 ? [] : state.waiting.filter(isSteering)
  return [
    ...steering.map(({ promptId }) => ({ type: "prompt.promoted", promptId, turnId: turn.id }) as const),
    { type: "step.started", stepId: `stp_${stamp.id}`, turnId: turn.id, model: turn.model },
  ]
}

/** Visitors get the last text of the model when their short limit of steps is reached, which is better than an error. */
function isStuck({ created, waiting }: SessionState, { refusedSteps }: TurnState): boolean {
  return refusedSteps >= limits.refusedSteps && !settingsOf(created).hasVisitors && !waiting.some(isSteering)
}

function isSteering({ delivery }: EventOf<"prompt.admitted">): boolean {
  return delivery === "next-boundary"
}

const NO_USABLE_CALL = `The model is stuck: all calls in its last ${limits.refusedSteps} answers were refused. Send a message to continue, or choose another model.`
