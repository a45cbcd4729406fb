// Checkpointed text is stored in pieces; joins them per step and block.
import { isObject } from "../contract/json-object.ts"
import type { StepId } from "../contract/ids.ts"
import type { StreamedBlock } from "../contract/values.ts"
import type { StreamedStep } from "./event-log.ts"

export function isStreamedBlock(value: unknown): value is StreamedBlock {
  if (!isObject(value) || typeof value["block"] !== "number" || typeof value["text"] !== "string") return false
  return value["kind"] === "text" || value["kind"] === "reasoning"
}

export function isStepId(text: string): text is StepId {
  return text.startsWith("stp_")
}

/** One entry per step, in the order in which the steps began; its blocks by number. */
export function joinPieces(pieces: readonly StreamedStep[]): readonly StreamedStep[] {
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
