// Checkpointed text of a step that has not ended. A damaged piece and everything after it are left out, so that no text
// with a gap is shown; `inspect` reports the damage.
import { parseJson } from "../../../contract/json-object.ts"
import { nextHash } from "../../chain.ts"
import type { StreamedStep } from "../../event-log.ts"
import { isStepId, isStreamedBlock, joinPieces } from "../../streamed-pieces.ts"
import type { Connection } from "../connection.ts"
import { BrokenRow, damageOrThrow } from "../faults.ts"
import { textIn, type Row } from "../row.ts"

export interface Streamed {
  readonly steps: readonly StreamedStep[]
  readonly fault: Error | undefined
}

export function readStreamed(connection: Connection, session: number): Streamed {
  const pieces: StreamedStep[] = []
  try {
    const inOrder = "select step_id, blocks, hash from streamed where session = ? order by id"
    for (const row of connection.sql(inOrder).all(session)) pieces.push(pieceOf(row))
    return { steps: joinPieces(pieces), fault: undefined }
  } catch (error) {
    return { steps: joinPieces(pieces), fault: damageOrThrow(error) }
  }
}

function pieceOf(row: Row): StreamedStep {
  const stepId = textIn(row, "step_id")
  const text = textIn(row, "blocks")
  if (!isStepId(stepId) || textIn(row, "hash") !== nextHash(stepId, text)) throw new BrokenRow("its bytes were altered")
  const blocks = parseJson(text)
  if (!Array.isArray(blocks) || !blocks.every(isStreamedBlock)) throw new BrokenRow("its blocks cannot be read")
  return { stepId, blocks }
}
