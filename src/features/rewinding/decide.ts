// Rewinding to the end of an earlier turn, by its seq or a number of turns, and naming such a place.
import type { CommandOf } from "../../contract/commands.ts"
import { limits } from "../../contract/limits.ts"
import { accepted, refused, type Decision, type Stamp } from "../../session/decision.ts"
import { isBusy, type SessionState } from "../../session/state.ts"

export function rewind(state: SessionState, command: CommandOf<"rewind">, stamp: Stamp): Decision {
  if (isBusy(state)) return refused({ code: "session.busy" })
  const { turns = 1, toSeq = state.restingPlaces.at(-1 - turns) } = command
  if (toSeq === undefined) return refused({ code: "context.no-turns", turns })
  if (!state.restingPlaces.includes(toSeq)) return refused({ code: "context.nothing-there", toSeq })
  return accepted({ type: "context.rewound", toSeq, by: stamp.by })
}

export function mark(state: SessionState, command: CommandOf<"mark">, stamp: Stamp): Decision {
  if (isBusy(state)) return refused({ code: "session.busy" })
  const toSeq = state.restingPlaces.at(-1)
  if (toSeq === undefined) return refused({ code: "context.no-turns", turns: 0 })
  if (state.marks.length >= limits.marks) return refused({ code: "marks.too-many", limit: limits.marks })
  return accepted({ type: "context.marked", name: command.name, toSeq, by: stamp.by })
}
