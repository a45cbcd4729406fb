// Decides whether a failed call is retried, waits for a quota, or fails. Pure. Only for calls before their first
// content: later ones are never retried.
import { BrokenAnswer } from "./faults.ts"
import { ModelUnavailable } from "./model-source.ts"
import { readProviderError, type ProviderError } from "./provider-error.ts"

export type Verdict =
  | { readonly kind: "again"; readonly afterMs: number | undefined }
  | { readonly kind: "quota"; readonly until: number | undefined }
  | { readonly kind: "final" }

/** A call does not wait for a limit that ends later than this. */
export const MAX_WAIT_MS = 60_000

const final = { kind: "final" } as const

export function verdictOn(thrown: unknown, now: number): Verdict {
  if (thrown instanceof BrokenAnswer) return { kind: "again", afterMs: undefined }
  if (thrown instanceof ModelUnavailable) return final
  const error = readProviderError(thrown)
  const afterMs = retryAfterMs(error.headers, error.body, now)
  if (isOutOfCredit(error)) return { kind: "quota", until: afterMs === undefined ? undefined : now + afterMs }
  if (isPromptTooLong(error) || !isTransient(error)) return final
  if (afterMs === undefined || afterMs <= MAX_WAIT_MS) return { kind: "again", afterMs }
  if (error.status === 429) return { kind: "quota", until: now + afterMs }
  return { kind: "again", afterMs: MAX_WAIT_MS }
}

/** Anthropic answers 400 when the credit is used up, OpenAI 429, others 402. */
function isOutOfCredit(error: ProviderError): boolean {
  if (error.status === 402) return true
  const text = `${error.codes} ${error.message} ${error.body.slice(0, 2000)}`
  return /insufficient_quota|billing_hard_limit|insufficient_balance|credit balance is too low/i.test(text)
}

function isTransient(error: ProviderError): boolean {
  if (error.status !== undefined && [400, 401, 403, 404, 413, 422].includes(error.status)) return false
  if (error.retryable !== undefined) return error.retryable
  if (error.status !== undefined) return [408, 409, 425, 429].includes(error.status) || error.status >= 500
  if (error.inStream) return !/invalid_request|authentication|permission|not_found/.test(error.codes)
  return error.errno !== undefined
}

/** Longer delays are cut to this. */
const MAX_RETRY_AFTER_MS = 365 * 24 * 3600 * 1000

/** When a provider allows a retry, in ms from now: from a header, or (Google) from the body. Undefined without one. */
export function retryAfterMs(
  headers: Readonly<Record<string, string>> | undefined,
  body: string | undefined,
  now: number,
): number | undefined {
  const text = fromHeaders(headers ?? {}, now) ?? fromBody(body ?? "")
  return text === undefined ? undefined : Math.min(Math.max(0, text), MAX_RETRY_AFTER_MS)
}

function fromHeaders(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const milliseconds = number(headers["retry-after-ms"])
  if (milliseconds !== undefined) return milliseconds
  const value = headers["retry-after"]
  const seconds = number(value)
  if (seconds !== undefined) return seconds * 1000
  const date = Date.parse(value ?? "")
  return Number.isNaN(date) ? undefined : date - now
}

/** `"retryDelay": "34s"`, as in google.rpc.RetryInfo. */
function fromBody(body: string): number | undefined {
  const seconds = number(/"retryDelay"\s*:\s*"([\d.]+)s"/.exec(body)?.[1])
  return seconds === undefined ? undefined : seconds * 1000
}

function number(text: string | undefined): number | undefined {
  if (text === undefined || text.trim() === "") return undefined
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}

/** Characters of a message that are searched. */
const MAX_SEARCHED = 2000

const codes =
  /context_length_exceeded|context_window_exceeded|exceed_context_size_error|request_too_large|string_above_max_length/

const sentences: readonly RegExp[] = [
  /prompt is too long/, // Anthropic, Bedrock
  /exceed context limit/, // Anthropic and Bedrock, where input and max_tokens together are too much
  /maximum context length/, // OpenAI, vLLM, DeepSeek, OpenRouter, Mistral
  /exceeds? (?:the |this model's |its )?(?:available |maximum |max )?context/, // OpenAI Responses, llama.cpp, Ollama
  /context (?:window|length|size) (?:is |was |has been )?exceed/, // gateways
  /input token count.{0,40}exceeds the maximum/, // Gemini
  /input is too long/, // Bedrock
  /too many (?:input )?tokens/, // Bedrock, Cohere
  /maximum prompt length is/, // xAI
  /prompt (?:token count|length)?.{0,40}exceeds (?:the |max)/, // Copilot, Z.ai
  /reduce the length of the (?:messages|prompt|input)/, // Groq, older OpenAI
  /exceeded model token limit/, // Moonshot
  /loaded with context length of only/, // LM Studio
  /must have less than \d+ tokens/, // Hugging Face
]

/** The request exceeds the context window; providers say so by a code, a status, or only a message. */
export function isPromptTooLong(error: ProviderError): boolean {
  if (error.status === 429 || error.status === 401 || error.status === 403) return false // a rate limit speaks of tokens too
  if (error.status === 413) return true
  if (codes.test(error.codes)) return true
  const text = `${error.message.slice(0, MAX_SEARCHED)} ${error.body.slice(0, MAX_SEARCHED)}`.toLowerCase()
  return codes.test(text) || sentences.some((sentence) => sentence.test(text))
}
