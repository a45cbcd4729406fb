// Facts about a provider's models: from the user's file first, then from the price table.
import { readPriceOverrides, type PriceOverrides } from "./price-overrides.ts"
import { loadPriceTable, type ModelFacts, type PriceTable } from "./price-table.ts"
import { vendors } from "./providers/builtin.ts"
import type { Provider } from "./providers/provider.ts"

export interface KnownModels {
  readonly find: (provider: Provider, model: string) => ModelFacts | undefined
  /** The models that the table lists for this provider. */
  readonly listed: (provider: Provider) => readonly ModelFacts[]
  /** Which of these providers serves a model of this name, or else what the table calls the one that does. */
  readonly servedBy: (model: string, providers: readonly Provider[]) => string | undefined
}

export async function loadKnownModels(pricesFile: string | undefined): Promise<KnownModels> {
  const [table, overrides] = await Promise.all([loadPriceTable(), readPriceOverrides(pricesFile)])
  const find = (provider: Provider, model: string) => factsOf(provider, model, table, overrides)
  return {
    find,
    listed: (provider) => {
      const vendor = vendorOf(provider, table)
      if (vendor === undefined) return []
      return table.models(vendor).map((facts) => find(provider, facts.id) ?? facts)
    },
    servedBy: (model, providers) => servedBy(model, providers, table),
  }
}

function factsOf(
  provider: Provider,
  model: string,
  table: PriceTable,
  overrides: PriceOverrides,
): ModelFacts | undefined {
  const vendor = vendorOf(provider, table)
  const bundled = vendor === undefined ? undefined : table.find(vendor, model)
  const own = overrides.get(`${provider.name}/${model}`) ?? overrides.get(model)
  if (own === undefined) return bundled === undefined ? undefined : { ...bundled, id: model }
  const priced = own.prices === undefined ? (bundled ?? own) : own
  return {
    id: model,
    name: own.name ?? bundled?.name,
    contextWindow: own.contextWindow ?? bundled?.contextWindow,
    maxOutput: own.maxOutput,
    prices: priced.prices,
    costUsd: priced.costUsd,
  }
}

/** By the base URL if the table knows it, else by the kind of provider. A self-hosted server has no price. */
function vendorOf(provider: Provider, table: PriceTable): string | undefined {
  const byAddress = provider.baseURL === undefined ? undefined : table.vendorAt(provider.baseURL)
  return byAddress ?? vendors[provider.type].priceTable
}

function servedBy(model: string, providers: readonly Provider[], table: PriceTable): string | undefined {
  const vendor = table.vendorOf(model)
  if (vendor === undefined) return undefined
  const serving = providers.filter((provider) => vendorOf(provider, table) === vendor)
  const best = serving.find((provider) => provider.problem === undefined) ?? serving[0]
  return best?.name ?? vendor
}
