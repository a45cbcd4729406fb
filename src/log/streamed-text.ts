// Checkpoints hold the newest piece of a text each; joined in order they are the text so far.
import type { StepId } from "../contract/ids.ts"
import type { StreamedBlock } from "../contract/values.ts"
import type { StreamedStep } from "./event-log.ts"

/** One entry per step, in the order in which the steps began; its blocks by number. */
export function joinPieces(pieces: readonly StreamedStep[]): readonly StreamedStep[] {
  const steps = new Map<StepId, Map<number, StreamedBlock>>()
  for (const { stepId, blocks } of pieces) {
    const joined = steps.get(stepId) ?? new Map<number, StreamedBlock>()
    steps.set(stepId, joined)
    for (const block of blocks) joined.set(block.block, joinBlock(joined.get(block.block), block))
  }
  return Array.from(steps, ([stepId, joined]) => ({ stepId, blocks: byNumber([...joined.values()]) }))
}

function joinBlock(before: StreamedBlock | undefined, block: StreamedBlock): StreamedBlock {
  return before === undefined ? block : { ...before, text: before.text + block.text }
}

function byNumber(blocks: readonly StreamedBlock[]): readonly StreamedBlock[] {
  return blocks.toSorted((one, other) => one.block - other.block)
}
