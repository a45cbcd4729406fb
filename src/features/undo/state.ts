import type { EventOf } from "../../contract/events.ts"
import type { TurnId, UndoId } from "../../contract/ids.ts"
import type { UndoReport } from "../../contract/views/undo.ts"

export interface UndoState {
  /** The newest turns that were not undone, oldest first. */
  readonly turnSpans: readonly TurnSpan[]
  readonly undoing: Undoing | undefined
  /** What the newest undo did. */
  readonly lastUndo: UndoReport | undefined
}

/** From the event that started the turn to the one that ended it. */
export interface TurnSpan {
  readonly turnId: TurnId
  readonly from: number
  readonly to: number | undefined
}

export interface Undoing extends Pick<EventOf<"undo.started">, "toSeq" | "keepFiles" | "by"> {
  readonly undoId: UndoId
  readonly turns: readonly TurnSpan[]
}

/** The files are as they should be, or it is known why not. */
export interface UndoReportOfRunner {
  readonly type: "undone"
  readonly undoId: UndoId
  readonly report: Omit<UndoReport, "conversation">
}

export interface UndoEffect {
  readonly type: "undo-files"
  readonly id: string
  readonly undoId: UndoId
}
