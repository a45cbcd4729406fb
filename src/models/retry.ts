// Retries a model call that fails before its first content: exponential backoff with jitter, or the delay that the
// provider asks for, a bounded number of times. A distant limit becomes QuotaExhausted, so that the turn can be parked;
// a permanent error fails at once. The caller's abort takes precedence.
import { setTimeout as wait } from "node:timers/promises"
import { openAnswer, type Answer, type StartAnswer } from "./answer-stream.ts"
import { faultSentence } from "./fault-sentence.ts"
import { AnswerCut, ModelFault, PromptTooLong, ProviderFailing, QuotaExhausted } from "./faults.ts"
import { Lifeline } from "./lifeline.ts"
import { ModelUnavailable } from "./model-source.ts"
import { isPromptTooLong, verdictOn } from "./verdict.ts"
import { readProviderError } from "./provider-error.ts"

export interface RetryOptions {
  readonly signal: AbortSignal
  readonly random?: () => number
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<unknown>
  readonly now?: () => number
  readonly onRetry?: (retry: Retry) => void
  /** Takes known secrets out of what the provider says, before it is shortened. */
  readonly redact?: (text: string) => string
  /** Attempts in total. */
  readonly attempts?: number
  readonly firstByteMs?: number
  readonly idleMs?: number
}

export interface Retry {
  /** The attempt that failed, from 1. */
  readonly attempt: number
  readonly delayMs: number
  readonly sentence: string
}

const defaults = {
  random: Math.random,
  sleep: (ms: number, signal: AbortSignal): Promise<unknown> => wait(ms, undefined, { signal }),
  now: Date.now,
  onRetry: () => {},
  redact: (text: string) => text,
  attempts: 6,
  firstByteMs: 120_000,
  idleMs: 300_000,
}
const firstDelayMs = 1000
const MAX_DELAY_MS = 30_000

/** Resolves when the first content has arrived. The answer throws ModelFault (AnswerCut where it may be continued), QuotaExhausted or the abort's reason. */
export async function streamWithRetries(start: StartAnswer, options: RetryOptions): Promise<Answer> {
  const settings = { ...defaults, ...options }
  return attempts(() => openAnswer(start, settings, (fault) => cutOff(fault, settings)), settings)
}

/** For an answer that is not shown before it is complete: it is retried even if it breaks off in the middle. */
export async function readWithRetries<Value>(
  start: StartAnswer,
  read: (answer: Answer) => Promise<Value>,
  options: RetryOptions,
): Promise<Value> {
  const settings = { ...defaults, ...options }
  return attempts(async () => read(await openAnswer(start, settings, (fault) => fault)), settings)
}

async function attempts<Value>(run: () => Promise<Value>, settings: Required<RetryOptions>): Promise<Value> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run()
    } catch (fault) {
      const delayMs = delayBefore(attempt + 1, fault, settings)
      if (delayMs === undefined) throw finalFault(fault, settings)
      settings.onRetry({ attempt, delayMs, sentence: faultSentence(fault, settings.redact) })
      await sleep(delayMs, settings)
    }
  }
}

/** Undefined if another attempt is pointless. */
function delayBefore(attempt: number, fault: unknown, settings: Required<RetryOptions>): number | undefined {
  if (settings.signal.aborted || attempt > settings.attempts) return undefined
  const verdict = verdictOn(fault, settings.now())
  if (verdict.kind !== "again") return undefined
  if (verdict.afterMs !== undefined) return verdict.afterMs
  const maxDelayMs = Math.min(firstDelayMs * 2 ** (attempt - 2), MAX_DELAY_MS)
  return Math.round(maxDelayMs * (0.5 + settings.random() / 2))
}

async function sleep(ms: number, { signal, sleep: pause }: Required<RetryOptions>): Promise<void> {
  const lifeline = new Lifeline(signal)
  try {
    await lifeline.hold(pause(ms, lifeline.signal))
  } finally {
    lifeline.release()
  }
}

/** What the consumer gets for an answer that fails after its first content. */
function cutOff(fault: unknown, settings: Required<RetryOptions>): unknown {
  const last = finalFault(fault, settings)
  const isTransient = last instanceof ModelFault && verdictOn(fault, settings.now()).kind === "again"
  return isTransient ? new AnswerCut(last.message, { status: last.status, cause: last.cause }) : last
}

function finalFault(fault: unknown, { signal, now, redact }: Required<RetryOptions>): unknown {
  if (signal.aborted) return signal.reason
  if (fault instanceof ModelUnavailable) return fault
  const verdict = verdictOn(fault, now())
  const sentence = faultSentence(fault, redact)
  if (verdict.kind === "quota") return new QuotaExhausted(sentence, verdict.until)
  const error = readProviderError(fault)
  if (isPromptTooLong(error)) return new PromptTooLong(sentence, { status: error.status })
  // An error that holds the request would leak the conversation; any other is kept to find the cause.
  const options = error.host === undefined ? { cause: fault } : { status: error.status }
  return verdict.kind === "again" ? new ProviderFailing(sentence, options) : new ModelFault(sentence, options)
}
