// Rewinding: the newest turns are hidden, nothing is deleted. Only whole turns of the current track since the last clear,
// compaction or change of track can be hidden.
import { limits } from "../../contract/limits.ts"
import type { Feature } from "../../session/feature.ts"
import type { RewindingState } from "./state.ts"
import type { CommandOf } from "../../contract/commands.ts"
import { accepted, refused, type Decision, type Stamp } from "../../session/decision.ts"
import { isBusy, type SessionState } from "../../session/state.ts"

export const rewinding = {
  initial: { restingPlaces: [], turnEnds: [], marks: [] },
  commands: { rewind, mark },
  evolve: {
    "session.created": resetMarks,
    "plan.entered": resetMarks,
    "plan.exited": resetMarks,
    "context.cleared": (state, event, seq) => ({ ...resetMarks(state, event, seq), turnEnds: [seq] }),
    "context.compacted": (state, event, seq) =>
      state.turn === undefined ? resetMarks(state, event, seq) : { restingPlaces: [], marks: [] },
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

function resetMarks(_state: unknown, _event: unknown, seq: number) {
  return { restingPlaces: [seq], marks: [] }
}

function rewind(state: SessionState, command: CommandOf<"rewind">, stamp: Stamp): Decision {
  if (isBusy(state)) return refused({ code: "session.busy" })
  const { turns = 1, toSeq = state.restingPlaces.at(-1 - turns) } = command
  if (toSeq === undefined) return refused({ code: "context.no-turns", turns })
  if (!state.restingPlaces.includes(toSeq)) return refused({ code: "context.nothing-there", toSeq })
  return accepted({ type: "context.rewound", toSeq, by: stamp.by })
}

function mark(state: SessionState, command: CommandOf<"mark">, stamp: Stamp): Decision {
  if (isBusy(state)) return refused({ code: "session.busy" })
  const toSeq = state.restingPlaces.at(-1)
  if (toSeq === undefined) return refused({ code: "context.no-turns", turns: 0 })
  if (state.marks.length >= limits.marks) return refused({ code: "marks.too-many", limit: limits.marks })
  return accepted({ type: "context.marked", name: command.name, toSeq, by: stamp.by })
}
