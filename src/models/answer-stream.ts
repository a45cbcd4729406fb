// One attempt at an answer. It starts with its first content; earlier parts (warnings, metadata) are held back, so that
// an attempt that fails before content can be retried. The answer ends with a complete finish or throws: an end without
// a finish, an error part and the finish reason `interrupted` are faults. Pings only reset the idle timer.
//
// Every token passes here: parts that arrived together stay together, and there is no stream or timer of our own.
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider"
import { AnswerSize, cutFinish } from "./answer-size.ts"
import { BrokenAnswer, InStreamError } from "./faults.ts"
import { Lifeline } from "./lifeline.ts"
import { batchesOf, type PartBatches } from "./streams/part-stream.ts"
import type { FinishPart } from "./usage.ts"

type Part = LanguageModelV4StreamPart
type Batch = readonly Part[]

export type StartAnswer = (signal: AbortSignal) => PromiseLike<{ readonly stream: ReadableStream<Part> }>

/** The parts of an answer, one by one or in the batches in which they arrived. Returning early cancels the call. */
export interface Answer extends AsyncIterableIterator<Part, undefined, undefined> {
  readonly batches: AsyncIterableIterator<Batch, undefined, undefined>
}

export interface AnswerLimits {
  readonly signal: AbortSignal
  /** How long the first byte of an answer may take. */
  readonly firstByteMs: number
  /** How long an answer may pause once it has started. */
  readonly idleMs: number
}

/** Undefined after the finish. */
type NextBatch = () => Promise<Batch | undefined>

const incomplete = "The provider ended the answer before it was complete."
/** How long a provider may take to close the stream after the finish. */
const CLOSING_MS = 2000

/** `explain` maps a fault after the first content to what the consumer of the answer gets. */
export async function openAnswer(
  start: StartAnswer,
  limits: AnswerLimits,
  explain: (fault: unknown) => unknown,
): Promise<Answer> {
  const lifeline = new Lifeline(limits.signal)
  lifeline.listen(limits.firstByteMs, () => silenceFault(limits.firstByteMs, ""))
  const source = await begin(start, lifeline)
  const next = new AnswerReading(source, lifeline, limits).next
  try {
    return remaining(await untilContent(next), next, explain, lifeline)
  } catch (fault) {
    throw lifeline.cut(fault)
  }
}

async function begin(start: StartAnswer, lifeline: Lifeline): Promise<PartBatches> {
  const starting = Promise.resolve(start(lifeline.signal))
  try {
    return batchesOf((await lifeline.hold(starting)).stream)
  } catch (fault) {
    lifeline.cut(fault)
    starting.then(
      (late) => late.stream.cancel(fault),
      () => {}, // it failed, which is already known
    )
    throw fault
  }
}

/** A cancelled stream ends at once even if its provider does not, so that a cut need not race with every read. */
class AnswerReading {
  readonly #source: PartBatches
  readonly #lifeline: Lifeline
  readonly #limits: AnswerLimits
  readonly #size = new AnswerSize()
  #hasStarted = false
  #isFinished = false
  /** Comes after the parts before it. */
  #fault: { readonly reason: unknown } | undefined

  constructor(source: PartBatches, lifeline: Lifeline, limits: AnswerLimits) {
    this.#source = source
    this.#lifeline = lifeline
    this.#limits = limits
    const cancel = () => {
      source.cancel(lifeline.signal.reason).catch(() => {}) // a stream that has failed already says so again here
    }
    lifeline.signal.addEventListener("abort", cancel, { once: true })
  }

  readonly next: NextBatch = async () => {
    while (!this.#isFinished) {
      if (this.#fault !== undefined) throw this.#fault.reason
      const parts = await this.#source.next()
      if (this.#lifeline.isCut) throw this.#lifeline.signal.reason
      if (parts === undefined) throw new BrokenAnswer(incomplete)
      const accepted = this.#accept(parts)
      if (accepted.length > 0) return accepted
    }
    return undefined
  }

  #accept(parts: Batch): Part[] {
    const accepted: Part[] = []
    try {
      if (parts.some(({ type }) => type !== "stream-start")) this.#showLife()
      for (const part of parts) {
        this.#add(part, accepted)
        if (this.#isFinished) break
      }
    } catch (reason) {
      this.#fault = { reason }
    }
    return accepted
  }

  /** The beginning is made by the provider package, not by the provider. */
  #showLife(): void {
    const { idleMs } = this.#limits
    if (this.#hasStarted) return this.#lifeline.refresh()
    this.#hasStarted = true
    this.#lifeline.listen(idleMs, () => silenceFault(idleMs, " in the middle of its answer"))
  }

  #add(part: Part, accepted: Part[]): void {
    if (part.type === "ping") return
    if (part.type === "error") throw new InStreamError(part.error)
    if (part.type === "finish") {
      this.#isFinished = isWhole(part)
      drain(this.#source, this.#lifeline)
    }
    const fitting = this.#size.fitting(part)
    if (fitting !== undefined) return void accepted.push(fitting)
    this.#isFinished = true
    this.#lifeline.cut(new BrokenAnswer("The answer is too long.")) // ends the provider's call
    accepted.push(cutFinish)
  }
}

/** Some provider packages report an unannounced end as a finish without a reason. */
function isWhole({ finishReason }: FinishPart): true {
  const { unified, raw } = finishReason
  const unannounced = unified === "other" && raw === undefined
  if (unified !== "interrupted" && unified !== "error" && !unannounced) return true
  throw new BrokenAnswer(raw === undefined ? incomplete : `The provider gave up on its answer (${raw}).`)
}

/** Reads to the end so that the connection can be reused; a provider that does not close it is cancelled. */
function drain(source: PartBatches, lifeline: Lifeline): void {
  lifeline.listen(CLOSING_MS, () => new BrokenAnswer(incomplete))
  const readToEnd = async () => {
    while ((await source.next()) !== undefined);
  }
  readToEnd()
    .catch(() => {}) // the answer is complete; how its connection ends does not matter
    .finally(() => lifeline.release())
}

async function untilContent(next: NextBatch): Promise<Batch> {
  const head: Part[] = []
  for (;;) {
    const parts = await next()
    if (parts === undefined) return head
    head.push(...parts)
    if (!parts.every(isPrelude)) return head
  }
}

/** Some providers start a text block before it has content. */
function isPrelude(part: Part): boolean {
  if (part.type === "text-delta" || part.type === "reasoning-delta") return part.delta === ""
  return ["stream-start", "response-metadata", "custom", "raw", "text-start", "reasoning-start"].includes(part.type)
}

function remaining(head: Batch, next: NextBatch, explain: (fault: unknown) => unknown, lifeline: Lifeline): Answer {
  let begun: Batch | undefined = head
  let isComplete = false
  const nextBatch = async () => {
    try {
      const parts = begun ?? (await next())
      begun = undefined
      isComplete = parts?.at(-1)?.type === "finish"
      return parts
    } catch (fault) {
      throw explain(lifeline.cut(fault))
    }
  }
  const end = async () => {
    if (!isComplete) lifeline.cut(new BrokenAnswer("The consumer stopped reading."))
    return doneResult
  }
  const batches = iteratorOf(nextBatch, end)
  return { ...iteratorOf(eachOf(nextBatch), end), batches }
}

/** One value of the batches after the other. */
function eachOf(nextBatch: NextBatch): () => Promise<Part | undefined> {
  let parts: Batch = []
  let at = 0
  return async () => {
    if (at === parts.length) {
      parts = (await nextBatch()) ?? []
      at = 0
    }
    return parts[at++]
  }
}

function iteratorOf<Value extends object>(
  next: () => Promise<Value | undefined>,
  end: () => Promise<typeof doneResult>,
): AsyncIterableIterator<Value, undefined, undefined> {
  const iterator: AsyncIterableIterator<Value, undefined, undefined> = {
    next: async () => {
      const value = await next()
      return value === undefined ? doneResult : { done: false, value }
    },
    return: end,
    [Symbol.asyncIterator]: () => iterator,
  }
  return iterator
}

const doneResult = { done: true, value: undefined } as const

function silenceFault(ms: number, where: string): BrokenAnswer {
  return new BrokenAnswer(`The model was silent for ${Math.round(ms / 100) / 10} s${where}.`)
}
