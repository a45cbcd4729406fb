// One safe sentence about a failed model call. The provider's message is redacted of known secrets, then of anything that looks
// like a key, and shortened: a part of a secret would not be recognised. If the key was refused, it is not repeated at all.
import { BrokenAnswer, ModelFault, QuotaExhausted } from "./faults.ts"
import { ModelUnavailable } from "./model-source.ts"
import { readProviderError, type ProviderError } from "./provider-error.ts"

const MAX_DETAIL_LENGTH = 240

/** `redact`: takes out known secrets. */
export function faultSentence(thrown: unknown, redact: (text: string) => string): string {
  if (isOwnFault(thrown)) return redact(thrown.message)
  const read = readProviderError(thrown)
  const error = { ...read, message: redact(read.message) }
  const host = error.host ?? "The provider"
  const { status = 0 } = error
  if (status >= 400) return statusSentence(host, status, error)
  if (error.errno !== undefined) return connectionSentence(host, error.errno)
  if (status >= 200) return `${host} aborted its answer${detail(error)}` // it had accepted the request
  if (error.inStream) return `${host} aborted its answer${detail(error)}`
  return `The model call failed${detail(error)}`
}

export function withoutKeys(text: string): string {
  return text
    .replaceAll(/\bBearer\s+\S+/gi, "Bearer ‹key›")
    .replaceAll(/\b(?:sk|pk|rk|gsk|xai|hf|key|api)[-_][\w*.-]{6,}/gi, "‹key›")
    .replaceAll(/\b(?:AIza|AKIA|ASIA)[\w-]{8,}/g, "‹key›")
    .replaceAll(/[\w+/=-]{32,}/g, (word) => (/\d/.test(word) ? "‹…›" : word))
}

function isOwnFault(thrown: unknown): thrown is Error {
  return [ModelUnavailable, QuotaExhausted, ModelFault, BrokenAnswer].some((type) => thrown instanceof type)
}

function statusSentence(host: string, status: number, error: ProviderError): string {
  if (status === 401 || status === 403) return `${host} refused the key, or the key lacks a permission (${status}).`
  if (status === 404) return `${host} has no such model or address (404)${detail(error)}`
  if (status === 413) return `${host} refused the request as too large (413)${detail(error)}`
  if (status === 429) return `${host} limits the request rate (429)${detail(error)}`
  if (status >= 500) return `${host} is failing (${status})${detail(error)}`
  return `${host} refused the request (${status})${detail(error)}`
}

function connectionSentence(host: string, errno: string): string {
  if (errno === "ECONNREFUSED") return `Nothing answers at ${host} (${errno}): is the server running?`
  if (errno === "ENOTFOUND" || errno === "EAI_AGAIN") return `The name ${host} cannot be found (${errno}).`
  return `The connection to ${host === "The provider" ? "the provider" : host} broke (${errno}).`
}

function detail(error: ProviderError): string {
  const line = withoutKeys(error.message.replaceAll(/\s+/g, " ").trim())
  if (line === "") return "."
  return `: ${line.length > MAX_DETAIL_LENGTH ? `${line.slice(0, MAX_DETAIL_LENGTH)}…` : line}`
}
