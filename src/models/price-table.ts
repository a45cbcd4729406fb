// Prices and context windows from a data package, which is loaded with the first model. Prices change, so the user's
// file comes first (price-overrides.ts). A model in neither has no price.
import type * as GenaiPrices from "@pydantic/genai-prices"
import type { ModelInfo, ModelPrice } from "@pydantic/genai-prices"
import type { Usage } from "../contract/values.ts"
import type { ModelAbilities, TokenPrices } from "../contract/views/host.ts"

/** Release and date of the bundled data; the two change together. */
export const priceData = { release: "0.1.8", date: "2026-09-23" } as const

/** US dollars per million tokens. */
export type { TokenPrices } from "../contract/views/host.ts"

export interface ModelFacts {
  readonly id: string
  readonly name: string | undefined
  readonly contextWindow: number | undefined
  /** What the user allows for one answer. */
  readonly maxOutput?: number | undefined
  /** What the model can give in one answer. */
  readonly outputLimit?: number | undefined
  readonly abilities?: ModelAbilities | undefined
  /** At the size of an ordinary request; long contexts may cost more. */
  readonly prices: TokenPrices | undefined
  readonly costUsd: (usage: Usage) => number | undefined
}

export interface PriceTable {
  readonly find: (vendor: string, model: string) => ModelFacts | undefined
  /** The vendor that serves a model of this name. */
  readonly vendorOf: (model: string) => string | undefined
  readonly vendorAt: (baseURL: string) => string | undefined
  readonly models: (vendor: string) => readonly ModelFacts[]
}

type Package = typeof GenaiPrices

export const emptyPriceTable: PriceTable = {
  find: () => undefined,
  vendorOf: () => undefined,
  vendorAt: () => undefined,
  models: () => [],
}

export async function loadPriceTable(): Promise<PriceTable> {
  const prices = await import("@pydantic/genai-prices")
  return {
    find: (vendor, model) => find(prices, vendor, model),
    vendorOf: (model) => prices.findProvider({ modelId: model.toLowerCase() })?.id,
    vendorAt: (baseURL) => prices.findProvider({ providerApiUrl: baseURL })?.id,
    models: (vendor) => {
      const listed = prices.findProvider({ providerId: vendor })?.models ?? []
      return listed.filter(isChat).flatMap(({ id }) => find(prices, vendor, id) ?? [])
    },
  }
}

function find(prices: Package, vendor: string, model: string): ModelFacts | undefined {
  const found = prices.calcPrice({ input_tokens: 0, output_tokens: 0 }, model, { providerId: vendor })
  if (found === null) return undefined
  return {
    id: found.model.id,
    name: found.model.name,
    contextWindow: found.model.context_window,
    prices: tokenPrices(found.model_price),
    costUsd: (usage) => costUsd(prices, vendor, model, usage),
  }
}

/** Undefined if the cost cannot be computed; the answer must not be lost because of it. */
function costUsd(prices: Package, vendor: string, model: string, usage: Usage): number | undefined {
  const counted = {
    input_tokens: usage.input,
    output_tokens: usage.output,
    cache_read_tokens: usage.cacheRead,
    cache_write_tokens: usage.cacheWrite5m + usage.cacheWrite1h,
    cache_write_1h_tokens: usage.cacheWrite1h,
    output_reasoning_tokens: usage.reasoning,
  }
  try {
    return prices.calcPrice(counted, model, { providerId: vendor })?.total_price
  } catch {
    return undefined
  }
}

function tokenPrices(price: ModelPrice): TokenPrices | undefined {
  const input = base(price["input_mtok"])
  const output = base(price["output_mtok"])
  if (input === undefined || output === undefined) return undefined
  const cacheWrite5m = base(price["cache_write_mtok"])
  const cacheWrite1h = base(price["cache_write_1h_mtok"]) ?? cacheWrite5m
  return { input, output, cacheRead: base(price["cache_read_mtok"]), cacheWrite5m, cacheWrite1h }
}

function base(price: ModelPrice[string]): number | undefined {
  return typeof price === "object" ? price.base : price
}

const otherTrades =
  /embed|image|audio|tts|transcribe|realtime|whisper|live|moderation|search|computer|instruct|sonic|robotics|veo|omni|^ft:|\.ft-|voxtral/

/** The table also contains models without text output, and does not say which. */
function isChat(model: ModelInfo): boolean {
  return model.name !== undefined && model.deprecated !== true && !otherTrades.test(model.id)
}
