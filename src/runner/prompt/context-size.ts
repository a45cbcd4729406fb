// How much of a model's context window the next request takes. What the provider reported for the newest response
// counts, and an estimate is added for what came since; without a report everything is estimated.
import type { LanguageModelV4CallOptions } from "@ai-sdk/provider"
import type { ModelChoice } from "../../models/model-source.ts"
import { contextItems, type Context } from "../../projection/context.ts"
import { itemTokens } from "../compaction/plan-compaction.ts"
import { resultText } from "./prompt-messages.ts"
import type { SessionContext } from "../session-context.ts"
import { estimatedTokens, textTokens, TOKENS_PER_FILE } from "./token-estimate.ts"
import type { CallId } from "../../contract/ids.ts"
import type { CallResult, ContextItem } from "../../contract/views/context.ts"
import { agedResults, AGED_NOTE_TOKENS } from "./aged-results.ts"

/** A provider that reports less than half of the estimate counts something else, such as tokens it had not cached. */
const MIN_SHARE = 0.5

/** A provider that refused a request of this size would refuse one that is only a little smaller. */
const REFUSED_SHARE = 0.75
/** Every model accepts this much, so a provider that refuses a smaller request has another reason. */
const MIN_WINDOW = 2048

export function requestTokens(
  context: Context,
  { name, window }: { readonly name: string; readonly window: number },
  options: LanguageModelV4CallOptions,
): number {
  const estimate = estimatedTokens(options)
  const reported = reportedTokens(context, name, window)
  return reported === undefined ? estimate : Math.max(reported, Math.ceil(estimate * MIN_SHARE))
}

/** The context window as far as it is known: a provider may take less than the price table says. */
export function windowOf({ refusedTokens }: SessionContext, { name, contextWindow }: ModelChoice): number {
  const refused = refusedTokens.get(name)
  if (refused === undefined) return contextWindow
  return Math.min(contextWindow, Math.max(MIN_WINDOW, Math.floor(refused * REFUSED_SHARE)))
}

/** Results that are left out of requests to a model with this window, with their sizes in tokens. */
export function agedIn(context: Context, window: number, items = contextItems(context)): ReadonlyMap<CallId, number> {
  return context.isService === true ? new Map() : agedResults(items, window, resultTokens)
}

function reportedTokens(context: Context, model: string, window: number): number | undefined {
  const { reported } = context
  if (reported === undefined || reported.model !== model) return undefined
  const items = contextItems(context)
  const at = items.findLastIndex((item) => item.kind === "assistant" && item.stepId === reported.stepId)
  const answered = items[at]
  if (answered === undefined) return undefined
  const since = items.slice(at + 1).reduce((sum, item) => sum + itemTokens(item), 0)
  const withoutResults = answered.kind === "assistant" ? { ...answered, results: {} } : answered
  const agedThen = agedIn(context, window, [...items.slice(0, at), withoutResults])
  return reported.tokens + outputTokens(answered) + since - savedSince(agedThen, agedIn(context, window))
}

/** Tokens of results that the answered request had and the next one leaves out. */
function savedSince(then: ReadonlyMap<CallId, number>, now: ReadonlyMap<CallId, number>): number {
  const left = [...now].filter(([callId]) => !then.has(callId))
  return left.reduce((sum, [, tokens]) => sum + Math.max(0, tokens - AGED_NOTE_TOKENS), 0)
}

function resultTokens(result: CallResult): number {
  return textTokens(resultText(result)) + (result.images?.length ?? 0) * TOKENS_PER_FILE
}

function outputTokens(item: ContextItem): number {
  if (item.kind !== "assistant") return 0
  return Object.values(item.results).reduce((sum, result) => sum + resultTokens(result), 0)
}
