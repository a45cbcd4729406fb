// Undo: the newest turns are hidden and their changes of files reverted. Prompts wait while files are reverted, and what
// would change the conversation is refused.
import type { CommandOf, SessionCommand } from "../../contract/commands.ts"
import { limits } from "../../contract/limits.ts"
import { accepted, refused, stale, type Decision, type Stamp } from "../../session/decision.ts"
import type { Feature } from "../../session/feature.ts"
import type { ReportOf } from "../../session/report.ts"
import { isBusy, type SessionState } from "../../session/state.ts"
import type { TurnSpan, UndoState } from "./state.ts"

export const undo = {
  initial: { turnSpans: [], undoing: undefined, lastUndo: undefined },
  commands: { undo: startUndo },
  reports: { undone: endUndo },
  evolve: {
    "turn.started": ({ turnSpans }, { turnId }, seq) => ({
      turnSpans: [...turnSpans, { turnId, from: seq, to: undefined }].slice(-limits.undoTurns),
    }),
    "turn.ended": ({ turnSpans }, { turnId }, seq) => ({
      turnSpans: turnSpans.map((span) => (span.turnId === turnId ? { ...span, to: seq } : span)),
    }),
    // Turns that a plain rewind hides keep their files; an undo after it concerns the turns before them.
    "context.rewound": ({ turnSpans }, { toSeq }) => ({ turnSpans: turnSpans.filter(({ from }) => from <= toSeq) }),
    "undo.started": ({ turnSpans }, { undoId, turnIds, toSeq, keepFiles, by }) => {
      const turns = turnSpans.filter(({ turnId }) => turnIds.includes(turnId))
      return { undoing: { undoId, turns, toSeq, keepFiles, by } }
    },
    "undo.ended": ({ turnSpans, undoing }, { report }) => ({
      undoing: undefined,
      lastUndo: report,
      turnSpans: report.refused === undefined ? turnSpans.filter((span) => !isOneOf(span, undoing?.turns)) : turnSpans,
    }),
  },
  effects: ({ undoing }) =>
    undoing === undefined ? [] : [{ type: "undo-files", id: `undo:${undoing.undoId}`, undoId: undoing.undoId }],
  holdsPrompts: ({ undoing }) => undoing !== undefined,
  afterDecision: (state, command) =>
    state.undoing !== undefined && changesConversation(command) ? refused({ code: "session.busy" }) : undefined,
} satisfies Feature<UndoState>

function isOneOf({ turnId }: TurnSpan, turns: readonly TurnSpan[] = []): boolean {
  return turns.some((turn) => turn.turnId === turnId)
}

function changesConversation(command: SessionCommand): boolean {
  if (command.type === "prompt") return command.ifBusy === "refuse"
  return ["undo", "rewind", "mark", "clear-context", "compact", "enter-plan", "exit-plan"].includes(command.type)
}

function startUndo(state: SessionState, { turns = 1, keepFiles }: CommandOf<"undo">, stamp: Stamp): Decision {
  if (isBusy(state)) return refused({ code: "session.busy" })
  const chosen = turnsToUndo(state, turns)
  if (chosen.length < turns) return refused({ code: "context.no-turns", turns })
  return accepted({
    type: "undo.started",
    undoId: `und_${stamp.id}`,
    turnIds: chosen.map(({ turnId }) => turnId),
    toSeq: rewindTarget(state, chosen),
    keepFiles,
    by: stamp.by,
  })
}

export function turnsToUndo({ turnSpans }: UndoState, turns: number): readonly TurnSpan[] {
  return turnSpans.filter(({ to }) => to !== undefined).slice(-turns)
}

/** Only whole turns since the conversation last changed in another way can be hidden. */
export function rewindTarget({ restingPlaces }: SessionState, chosen: readonly TurnSpan[]): number | undefined {
  const ends = restingPlaces.slice(-chosen.length)
  const areNewest = ends.length === chosen.length && chosen.every(({ to }, index) => to === ends[index])
  return areNewest ? restingPlaces.at(-1 - chosen.length) : undefined
}

function endUndo({ undoing }: SessionState, { undoId, report }: ReportOf<"undone">): Decision {
  if (undoing?.undoId !== undoId) return stale
  const { toSeq, by } = undoing
  if (report.refused !== undefined || toSeq === undefined)
    return accepted({ type: "undo.ended", undoId, report: { ...report, conversation: "kept" } })
  return accepted(
    { type: "undo.ended", undoId, report: { ...report, conversation: "rewound" } },
    { type: "context.rewound", toSeq, by },
  )
}
