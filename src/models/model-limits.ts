// Context window and maximum output of a model: from the catalogue where it has the model. Providers refuse requests that
// exceed the maximum output, so those of other models that are below our own limit are listed here.
import type { ModelFacts } from "./price-table.ts"
import { vendors } from "./providers/builtin.ts"
import type { ProviderType } from "./providers/provider.ts"

export interface ModelLimits {
  readonly contextWindow: number
  readonly maxOutput: number
  /** The most that the model can give, thoughts included. */
  readonly maxTotal: number
}

/** No step needs more, and the worst case of every call is reserved from the budget. */
const MAX_OUTPUT = 32_000

const outputs: readonly (readonly [RegExp, number])[] = [
  [/claude-(?:instant|v?2|3-(?:opus|sonnet|haiku))/, 4096],
  [/claude-3-5/, 8192],
  [/claude/, MAX_OUTPUT],
  [/^(?:chatgpt-4o|gpt-4o)/, 16_384],
  [/^gpt-(?:3\.5|4(?:$|-))/, 4096],
  [/^(?:gpt-|o\d)/, MAX_OUTPUT],
  [/^gemini-(?:1|2\.0|pro)/, 8192],
  [/^gemini-/, MAX_OUTPUT],
  [/^(?:[a-z]+\.)?(?:amazon|meta|mistral|cohere|deepseek|ai21|writer)\./, 4096],
]

export function limitsOf(
  type: ProviderType,
  modelId: string,
  facts: Pick<ModelFacts, "contextWindow" | "maxOutput" | "outputLimit"> | undefined,
): ModelLimits {
  const contextWindow = facts?.contextWindow ?? vendors[type].contextWindow
  const limit = facts?.outputLimit ?? outputs.find(([pattern]) => pattern.test(modelId))?.[1] ?? 8192
  const known = facts?.maxOutput ?? Math.min(limit, MAX_OUTPUT)
  const total =
    facts?.maxOutput ?? facts?.outputLimit ?? totals.find(([pattern]) => pattern.test(modelId))?.[1] ?? MAX_OUTPUT
  // Input and output share the window; at least half of it is left to the conversation.
  const half = Math.floor(contextWindow / 2)
  return { contextWindow, maxOutput: Math.min(known, half), maxTotal: Math.min(total, half) }
}

/** Of models that think and are in no catalogue. */
const totals: readonly (readonly [RegExp, number])[] = [
  [/claude-opus-4(?:-[01](?!\d)|-20\d{6}|@|$)/, 32_000],
  [/claude/, 64_000],
  [/^(?:gpt-|o\d)/, 64_000],
  [/^gemini-/, 64_000],
]
