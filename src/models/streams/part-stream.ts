// The parts of an answer as a stream, as models give it, and in batches for a consumer that knows of them: reading a
// stream costs several promises for each part.
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider"

type Part = LanguageModelV4StreamPart

export interface PartBatches {
  /** Parts that arrived together; undefined at the end. */
  next(): Promise<readonly Part[] | undefined>
  cancel(reason: unknown): Promise<void>
}

/** Read either as a stream or by its batches. Nothing is read before it is wanted. */
export class PartStream extends ReadableStream<Part> {
  readonly batches: PartBatches

  constructor(batches: PartBatches) {
    const pull = async (controller: ReadableStreamDefaultController<Part>) => {
      const parts = await batches.next()
      if (parts === undefined) controller.close()
      else for (const part of parts) controller.enqueue(part)
    }
    super({ pull, cancel: (reason) => batches.cancel(reason) }, { highWaterMark: 0 })
    this.batches = batches
  }
}

/** Of any stream: one part in each batch, unless the stream has its own. */
export function batchesOf(stream: ReadableStream<Part>): PartBatches {
  if (stream instanceof PartStream) return stream.batches
  const reader = stream.getReader()
  return {
    next: async () => {
      const { done, value } = await reader.read()
      return done ? undefined : [value]
    },
    cancel: (reason) => reader.cancel(reason),
  }
}
