// Checkpointed text of a step that has not ended. A damaged piece and everything after it are left out, so that no text
// with a gap is shown; `inspect` reports the damage.
import { isObject, parseJson } from "../../../contract/json-object.ts"
import type { StepId } from "../../../contract/ids.ts"
import type { StreamedBlock } from "../../../contract/values.ts"
import { nextHash } from "../../chain.ts"
import type { StreamedStep } from "../../event-log.ts"
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

function isStreamedBlock(value: unknown): value is StreamedBlock {
  if (!isObject(value) || typeof value["block"] !== "number" || typeof value["text"] !== "string") return false
  return value["kind"] === "text" || value["kind"] === "reasoning"
}

function isStepId(text: string): text is StepId {
  return text.startsWith("stp_")
}

/** One entry per step, in the order in which the steps began; its blocks by number. */
function joinPieces(pieces: readonly StreamedStep[]): readonly StreamedStep[] {
  const steps = new Map<StepId, Map<number, StreamedBlock>>()
  for (const { stepId, blocks } of pieces) {
    const joined = steps.get(stepId) ?? new Map<number, StreamedBlock>()
    steps.set(stepId, joined)
    for (const block of blocks) joined.set(block.block, joinBlock(joined.get(block.block), block))
  }
  return Array.from(steps, ([stepId, joined]) => {
    return { stepId, blocks: [...joined.values()].toSorted((a, b) => a.block - b.block) }
  })
}

function joinBlock(before: StreamedBlock | undefined, block: StreamedBlock): StreamedBlock {
  return before === undefined ? block : { ...before, text: before.text + block.text }
}
