// Decides whether a failed call is retried, waits for a quota, or fails. Pure. Only for calls before their first
// content: later ones are never retried.
import { BrokenAnswer } from "./faults.ts"
import { ModelUnavailable } from "./model-source.ts"
import { readProviderError, type ProviderError } from "./provider-error.ts"
import { isPromptTooLong } from "./prompt-too-long.ts"
import { retryAfterMs } from "./retry-after.ts"

export type Verdict =
  | { readonly kind: "again"; readonly afterMs: number | undefined }
  | { readonly kind: "quota"; readonly until: number | undefined }
  | { readonly kind: "final" }

/** A limit that ends later than this is not waited for inside a call. */
export const longestWaitMs = 60_000

const final = { kind: "final" } as const

export function verdictOn(thrown: unknown, now: number): Verdict {
  if (thrown instanceof BrokenAnswer) return { kind: "again", afterMs: undefined }
  if (thrown instanceof ModelUnavailable) return final
  const error = readProviderError(thrown)
  const afterMs = retryAfterMs(error.headers, error.body, now)
  if (isOutOfCredit(error)) return { kind: "quota", until: afterMs === undefined ? undefined : now + afterMs }
  if (isPromptTooLong(error) || !isTransient(error)) return final
  if (afterMs === undefined || afterMs <= longestWaitMs) return { kind: "again", afterMs }
  if (error.status === 429) return { kind: "quota", until: now + afterMs }
  return { kind: "again", afterMs: longestWaitMs }
}

/** Anthropic answers 400 when the credit is used up, OpenAI 429, others 402. */
function isOutOfCredit(error: ProviderError): boolean {
  if (error.status === 402) return true
  const said = `${error.words} ${error.message} ${error.body.slice(0, 2000)}`
  return /insufficient_quota|billing_hard_limit|insufficient_balance|credit balance is too low/i.test(said)
}

function isTransient(error: ProviderError): boolean {
  if (error.status !== undefined && [400, 401, 403, 404, 413, 422].includes(error.status)) return false
  if (error.retryable !== undefined) return error.retryable
  if (error.status !== undefined) return [408, 409, 425, 429].includes(error.status) || error.status >= 500
  if (error.inStream) return !/invalid_request|authentication|permission|not_found/.test(error.words)
  return error.errno !== undefined
}
