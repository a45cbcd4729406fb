// One safe sentence about a failed model call. The provider's message is shortened and redacted of anything that looks
// like a key; if the key was refused, it is not repeated at all.
import { BrokenAnswer, ModelFault, QuotaExhausted } from "./faults.ts"
import { ModelUnavailable } from "./model-source.ts"
import { readProviderError, type ProviderError } from "./provider-error.ts"

const MAX_DETAIL_LENGTH = 240

export function faultSentence(thrown: unknown): string {
  if (isOurs(thrown)) return thrown.message
  const error = readProviderError(thrown)
  const who = error.host ?? "The provider"
  const { status = 0 } = error
  if (status >= 400) return statusSentence(who, status, error)
  if (error.errno !== undefined) return connectionSentence(who, error.errno)
  if (status >= 200) return `${who} aborted its answer${said(error)}` // it had accepted the request
  if (error.inStream) return `${who} aborted its answer${said(error)}`
  return `The model call failed${said(error)}`
}

export function withoutKeys(text: string): string {
  return text
    .replaceAll(/\bBearer\s+\S+/gi, "Bearer ‹key›")
    .replaceAll(/\b(?:sk|pk|rk|gsk|xai|hf|key|api)[-_][\w*.-]{6,}/gi, "‹key›")
    .replaceAll(/\b(?:AIza|AKIA|ASIA)[\w-]{8,}/g, "‹key›")
    .replaceAll(/[\w+/=-]{32,}/g, (word) => (/\d/.test(word) ? "‹…›" : word))
}

function isOurs(thrown: unknown): thrown is Error {
  return [ModelUnavailable, QuotaExhausted, ModelFault, BrokenAnswer].some((ours) => thrown instanceof ours)
}

function statusSentence(who: string, status: number, error: ProviderError): string {
  if (status === 401 || status === 403) return `${who} refused the key, or the key lacks a permission (${status}).`
  if (status === 404) return `${who} has no such model or address (404)${said(error)}`
  if (status === 413) return `${who} refused the request as too large (413)${said(error)}`
  if (status === 429) return `${who} limits the request rate (429)${said(error)}`
  if (status >= 500) return `${who} is failing (${status})${said(error)}`
  return `${who} refused the request (${status})${said(error)}`
}

function connectionSentence(who: string, errno: string): string {
  if (errno === "ECONNREFUSED") return `Nothing answers at ${who} (${errno}): is the server running?`
  if (errno === "ENOTFOUND" || errno === "EAI_AGAIN") return `The name ${who} cannot be found (${errno}).`
  return `The connection to ${who === "The provider" ? "the provider" : who} broke (${errno}).`
}

function said(error: ProviderError): string {
  const line = withoutKeys(error.message.replaceAll(/\s+/g, " ").trim())
  if (line === "") return "."
  return `: ${line.length > MAX_DETAIL_LENGTH ? `${line.slice(0, MAX_DETAIL_LENGTH)}…` : line}`
}
