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
  /** Undefined after the finish. Not an iterator, which costs two more promises for every token. */
  readonly nextBatch: () => Promise<Batch | undefined>
  /** To be called by a consumer of batches when it stops, also at the end. */
  readonly end: () => void
}

export interface AnswerLimits {
  readonly signal: AbortSignal
  /** How long the first byte of an answer may take. */
  readonly firstByteMs: number
  /** How long an answer may pause once it has started. */
  readonly idleMs: number
}

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
  const reading = new AnswerReading(await begin(start, lifeline), lifeline, limits)
  try {
    await reading.untilContent()
  } catch (fault) {
    throw lifeline.cut(fault)
  }
  reading.explain = explain
  return answerOf(reading)
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
  /** Parts that were read before the answer was given out. */
  #head: Batch = []
  /** Comes after the parts before it. */
  #fault: { readonly reason: unknown } | undefined
  /** Maps a fault to what the consumer gets. */
  explain: ((fault: unknown) => unknown) | undefined

  constructor(source: PartBatches, lifeline: Lifeline, limits: AnswerLimits) {
    this.#source = source
    this.#lifeline = lifeline
    this.#limits = limits
    const cancel = () => {
      source.cancel(lifeline.signal.reason).catch(() => {}) // a stream that has failed already says so again here
    }
    lifeline.signal.addEventListener("abort", cancel, { once: true })
  }

  /** Undefined after the finish. */
  async next(): Promise<Batch | undefined> {
    if (this.#head.length > 0) return this.#takeHead()
    try {
      while (!this.#isFinished) {
        if (this.#fault !== undefined) throw this.#fault.reason
        const parts = await this.#source.next()
        if (this.#lifeline.isCut) throw this.#lifeline.signal.reason
        if (parts === undefined) throw new BrokenAnswer(incomplete)
        const accepted = this.#accept(parts)
        if (accepted.length > 0) return accepted
      }
      return undefined
    } catch (fault) {
      throw this.explain === undefined ? fault : this.explain(this.#lifeline.cut(fault))
    }
  }

  /** Some providers start a text block before it has content. */
  async untilContent(): Promise<void> {
    const head: Part[] = []
    for (let isContent = false; !isContent;) {
      const parts = await this.next()
      head.push(...(parts ?? []))
      isContent = parts?.every(isPrelude) !== true
    }
    this.#head = head
  }

  /** The consumer wants no more. */
  end(): void {
    if (!this.#isFinished || this.#head.length > 0)
      this.#lifeline.cut(new BrokenAnswer("The consumer stopped reading."))
  }

  #takeHead(): Batch {
    const head = this.#head
    this.#head = []
    return head
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

function isPrelude(part: Part): boolean {
  if (part.type === "text-delta" || part.type === "reasoning-delta") return part.delta === ""
  return ["stream-start", "response-metadata", "custom", "raw", "text-start", "reasoning-start"].includes(part.type)
}

function answerOf(reading: AnswerReading): Answer {
  let parts: Batch = []
  let at = 0
  const answer: Answer = {
    nextBatch: () => reading.next(),
    end: () => reading.end(),
    next: async () => {
      if (at === parts.length) {
        parts = (await reading.next()) ?? []
        at = 0
      }
      const value = parts[at++]
      return value === undefined ? doneResult : { done: false, value }
    },
    return: async () => {
      reading.end()
      return doneResult
    },
    [Symbol.asyncIterator]: () => answer,
  }
  return answer
}

const doneResult = { done: true, value: undefined } as const

function silenceFault(ms: number, where: string): BrokenAnswer {
  return new BrokenAnswer(`The model was silent for ${Math.round(ms / 100) / 10} s${where}.`)
}
