// One attempt at an answer. It starts with its first content; earlier parts (warnings, metadata) are held back, so that
// an attempt that fails before content can be retried. The answer ends with a complete finish or throws: an end without
// a finish, an error part and the finish reason `interrupted` are faults. Pings only reset the idle timer.
//
// Every token passes here: a part costs one read of the provider's stream, and no stream or timer of our own.
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider"
import { AnswerSize, cutFinish } from "./answer-size.ts"
import { BrokenAnswer, InStreamError } from "./faults.ts"
import { Lifeline } from "./lifeline.ts"
import type { FinishPart } from "./usage.ts"

export type StartAnswer = (
  signal: AbortSignal,
) => PromiseLike<{ readonly stream: ReadableStream<LanguageModelV4StreamPart> }>

/** The parts of an answer. Returning early cancels the call. */
export type Answer = AsyncIterableIterator<LanguageModelV4StreamPart, undefined, undefined>

export interface AnswerLimits {
  readonly signal: AbortSignal
  /** How long the first byte of an answer may take. */
  readonly firstByteMs: number
  /** How long an answer may pause once it has started. */
  readonly idleMs: number
}

type Reader = ReadableStreamDefaultReader<LanguageModelV4StreamPart>
/** Undefined after the finish. */
type NextPart = () => Promise<LanguageModelV4StreamPart | undefined>

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
  const reader = await begin(start, lifeline)
  const next = partsOf(reader, lifeline, limits)
  try {
    return remaining(await untilContent(next), next, explain, lifeline)
  } catch (fault) {
    throw lifeline.cut(fault)
  }
}

async function begin(start: StartAnswer, lifeline: Lifeline): Promise<Reader> {
  const starting = Promise.resolve(start(lifeline.signal))
  try {
    return (await lifeline.hold(starting)).stream.getReader()
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
function partsOf(reader: Reader, lifeline: Lifeline, limits: AnswerLimits): NextPart {
  const cancel = () => {
    reader.cancel(lifeline.signal.reason).catch(() => {}) // a stream that has failed already says so again here
  }
  lifeline.signal.addEventListener("abort", cancel, { once: true })
  const size = new AnswerSize()
  let hasStarted = false
  let finished = false
  return async () => {
    while (!finished) {
      const { done, value } = await reader.read()
      if (lifeline.isCut) throw lifeline.signal.reason
      if (done) throw new BrokenAnswer(incomplete)
      if (value.type === "stream-start") return value // made by the provider package, not by the provider
      if (hasStarted) lifeline.refresh()
      else lifeline.listen(limits.idleMs, () => silenceFault(limits.idleMs, " in the middle of its answer"))
      hasStarted = true
      if (value.type === "ping") continue
      if (value.type === "error") throw new InStreamError(value.error)
      if (value.type === "finish") {
        finished = isWhole(value)
        drain(reader, lifeline)
      }
      const part = size.fitting(value)
      if (part !== undefined) return part
      finished = true
      lifeline.cut(new BrokenAnswer("The answer is too long.")) // ends the provider's call
      return cutFinish
    }
    return undefined
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
function drain(reader: Reader, lifeline: Lifeline): void {
  lifeline.listen(CLOSING_MS, () => new BrokenAnswer(incomplete))
  const readToEnd = async () => {
    while (!(await reader.read()).done);
  }
  readToEnd()
    .catch(() => {}) // the answer is complete; how its connection ends does not matter
    .finally(() => lifeline.release())
}

async function untilContent(next: NextPart): Promise<LanguageModelV4StreamPart[]> {
  const head: LanguageModelV4StreamPart[] = []
  for (;;) {
    const part = await next()
    if (part === undefined) return head
    head.push(part)
    if (!isPrelude(part)) return head
  }
}

/** Some providers start a text block before it has content. */
function isPrelude(part: LanguageModelV4StreamPart): boolean {
  if (part.type === "text-delta" || part.type === "reasoning-delta") return part.delta === ""
  return ["stream-start", "response-metadata", "custom", "raw", "text-start", "reasoning-start"].includes(part.type)
}

function remaining(
  head: LanguageModelV4StreamPart[],
  next: NextPart,
  explain: (fault: unknown) => unknown,
  lifeline: Lifeline,
): Answer {
  let isComplete = false
  const answer: Answer = {
    next: async () => {
      try {
        const value = head.shift() ?? (await next())
        isComplete = value?.type === "finish"
        return value === undefined ? doneResult : { done: false, value }
      } catch (fault) {
        throw explain(lifeline.cut(fault))
      }
    },
    return: async () => {
      if (!isComplete) lifeline.cut(new BrokenAnswer("The consumer stopped reading."))
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
