// Where the context can be rewound to, and where turns ended. Only what lies in one stretch of one track can be taken
// back: never half a turn, and nothing from before a compaction. What people saw goes back further than that.
import type { SessionEvent } from "../../contract/events.ts"
import { limits } from "../../contract/limits.ts"
import type { SessionState } from "../../session/state.ts"

export function rest(state: SessionState, event: SessionEvent): SessionState {
  switch (event.type) {
    case "session.created":
    case "plan.entered":
    case "plan.exited":
      return newStretch(state)
    case "context.cleared":
      return { ...newStretch(state), turnEnds: [state.seq] }
    case "context.compacted":
      return state.turn === undefined ? newStretch(state) : { ...state, restingPlaces: [], marks: [] }
    case "turn.ended":
      return {
        ...state,
        restingPlaces: withNewest(state.restingPlaces, state),
        turnEnds: withNewest(state.turnEnds, state),
      }
    case "context.rewound":
      return backTo(state, event.toSeq)
    default:
      return state
  }
}

function newStretch(state: SessionState): SessionState {
  return { ...state, restingPlaces: [state.seq], marks: [] }
}

function withNewest(places: readonly number[], { seq }: SessionState): readonly number[] {
  return [...places, seq].slice(-limits.rememberedTurns)
}

function backTo(state: SessionState, toSeq: number): SessionState {
  const isLeft = (seq: number) => seq <= toSeq
  return {
    ...state,
    restingPlaces: state.restingPlaces.filter(isLeft),
    turnEnds: state.turnEnds.filter(isLeft),
    marks: state.marks.filter((mark) => isLeft(mark.toSeq)),
  }
}
