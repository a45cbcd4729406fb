// Undo: hides the newest turns and reverts what they changed in files. The intent is stored before a file is touched and
// the report afterwards, so that a host that dies in between is continued by the next one.
import { z } from "zod"
import { command, durable } from "../../contract/define.ts"
import { TurnId, UndoId } from "../../contract/ids.ts"
import { By } from "../../contract/values.ts"
import { UndoReport } from "../../contract/views/undo.ts"

const UndoStarted = durable("undo.started", 1, {
  undoId: UndoId,
  /** Newest last. */
  turnIds: z.array(TurnId),
  /** Where the conversation goes back to; absent where it was compacted, cleared or changed track in between. */
  toSeq: z.int().optional(),
  /** Only the conversation goes back. */
  keepFiles: z.literal(true).optional(),
  by: By,
})
const UndoEnded = durable("undo.ended", 1, { undoId: UndoId, report: UndoReport })

/** Undoes the newest turns. */
const Undo = command("undo", {
  turns: z.int().min(1).max(1000).optional(),
  keepFiles: z.literal(true).optional(),
})

export const undoContract = {
  events: [UndoStarted, UndoEnded],
  commands: [Undo],
  refusals: [],
  deltas: [],
} as const
