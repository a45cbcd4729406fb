// Going back in the conversation: the newest turns are hidden, nothing is deleted. Only whole turns in one stretch of
// one track can be hidden, and nothing from before a compaction.
import { limits } from "../../contract/limits.ts"
import type { Feature } from "../../session/feature.ts"
import { mark, rewind } from "./decide.ts"
import type { RewindingState } from "./state.ts"

export const rewinding = {
  initial: { restingPlaces: [], turnEnds: [], marks: [] },
  commands: { rewind, mark },
  evolve: {
    "session.created": newStretch,
    "plan.entered": newStretch,
    "plan.exited": newStretch,
    "context.cleared": (state, event, seq) => ({ ...newStretch(state, event, seq), turnEnds: [seq] }),
    "context.compacted": (state, event, seq) =>
      state.turn === undefined ? newStretch(state, event, seq) : { restingPlaces: [], marks: [] },
    "turn.ended": ({ restingPlaces, turnEnds }, _, seq) => ({
      restingPlaces: [...restingPlaces, seq].slice(-limits.rememberedTurns),
      turnEnds: [...turnEnds, seq].slice(-limits.rememberedTurns),
    }),
    "context.rewound": ({ restingPlaces, turnEnds, marks }, { toSeq }) => ({
      restingPlaces: restingPlaces.filter((seq) => seq <= toSeq),
      turnEnds: turnEnds.filter((seq) => seq <= toSeq),
      marks: marks.filter((place) => place.toSeq <= toSeq),
    }),
    "context.marked": ({ marks }, { name, toSeq }) => ({ marks: [...marks, { name, toSeq }] }),
  },
} satisfies Feature<RewindingState>

function newStretch(_state: unknown, _event: unknown, seq: number) {
  return { restingPlaces: [seq], marks: [] }
}
