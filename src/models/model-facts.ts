// Facts about a provider's models. The user's file comes first, then what the provider lists itself, then the fetched
// catalogue, the price table and the bundled catalogue.
import type { ModelAbilities } from "../contract/views/host.ts"
import { loadCatalogue, type ModelCatalogue } from "./catalogue/model-catalogue.ts"
import type { CatalogueModel } from "./catalogue/catalogue-line.ts"
import { catalogueCostUsd } from "./catalogue/token-cost.ts"
import { readPriceOverrides, type PriceOverrides } from "./price-overrides.ts"
import { loadPriceTable, type ModelFacts, type PriceTable } from "./price-table.ts"
import { vendors } from "./providers/builtin.ts"
import type { Provider } from "./providers/provider.ts"

export interface KnownModels {
  readonly find: (provider: Provider, model: string) => ModelFacts | undefined
  /** The models that are listed for this provider. */
  readonly listed: (provider: Provider) => readonly ModelFacts[]
  /** Which of these providers serves a model of this name, or else what the table calls the one that does. */
  readonly servedBy: (model: string, providers: readonly Provider[]) => string | undefined
  readonly catalogue: Pick<ModelCatalogue, "ownList" | "bundledData" | "fetchedData" | "problems">
}

/** Files of the user and of the program in the home; each may be missing. */
export interface ModelFiles {
  readonly pricesFile?: string | undefined
  readonly catalogueFolder?: string | undefined
}

interface Sources {
  readonly table: PriceTable
  readonly overrides: PriceOverrides
  readonly catalogue: ModelCatalogue
}

export async function loadKnownModels(
  { pricesFile, catalogueFolder }: ModelFiles,
  loadTable = loadPriceTable,
): Promise<KnownModels> {
  const [table, overrides, catalogue] = await Promise.all([
    loadTable(),
    readPriceOverrides(pricesFile),
    loadCatalogue(catalogueFolder),
  ])
  const sources = { table, overrides, catalogue }
  return {
    find: (provider, model) => factsOf(provider, model, sources),
    listed: (provider) => listed(provider, sources),
    servedBy: (model, providers) => servedBy(model, providers, table),
    catalogue,
  }
}

/** A server on this machine is in no price table, whose package takes longest to load. */
export function needsPriceTable({ baseURL, type }: Provider): boolean {
  if (vendors[type].priceTable !== undefined || baseURL === undefined) return true
  return !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(URL.parse(baseURL)?.hostname ?? "")
}

function listed(provider: Provider, sources: Sources): readonly ModelFacts[] {
  const { catalogue, table } = sources
  const ids = catalogue.listed(provider).map(({ id }) => id)
  const vendor = vendorOf(provider, table)
  const known = ids.length > 0 || vendor === undefined ? ids : table.models(vendor).map(({ id }) => id)
  return known.flatMap((id) => factsOf(provider, id, sources) ?? [])
}

function factsOf(provider: Provider, model: string, { table, overrides, catalogue }: Sources): ModelFacts | undefined {
  const user = overrides.get(`${provider.name}/${model}`) ?? overrides.get(model)
  const { own, fetched, bundled } = catalogue.find(provider, model)
  const vendor = vendorOf(provider, table)
  const priced = vendor === undefined ? undefined : table.find(vendor, model)
  const found = [user, own, fetched, priced, bundled].filter((source) => source !== undefined)
  if (found.length === 0) return undefined
  return {
    id: model,
    name: first([user?.name, priced?.name, ...found.map(({ name }) => name)]),
    contextWindow: first(found.map(({ contextWindow }) => contextWindow)),
    maxOutput: user?.maxOutput,
    outputLimit: first(found.map(({ outputLimit }) => outputLimit)),
    abilities: abilitiesIn(found.map(({ abilities }) => abilities)),
    ...(first([withPrices(user), pricedBy(own), pricedBy(fetched), withPrices(priced), pricedBy(bundled)]) ?? unpriced),
  }
}

function first<Value>(values: readonly (Value | undefined)[]): Value | undefined {
  return values.find((value) => value !== undefined)
}

type Priced = Pick<ModelFacts, "prices" | "costUsd">

const unpriced: Priced = { prices: undefined, costUsd: () => undefined }

function withPrices(facts: ModelFacts | undefined): Priced | undefined {
  if (facts?.prices === undefined) return undefined
  return { prices: facts.prices, costUsd: facts.costUsd }
}

function pricedBy(model: CatalogueModel | undefined): Priced | undefined {
  const prices = model?.prices
  return prices && { prices: prices.base, costUsd: (usage) => catalogueCostUsd(prices, usage) }
}

/** Each ability from the first source that knows it. */
function abilitiesIn(sources: readonly (ModelAbilities | undefined)[]): ModelAbilities {
  const known = (pick: (abilities: ModelAbilities) => boolean | undefined) =>
    first(sources.map((abilities) => abilities && pick(abilities)))
  return {
    images: known(({ images }) => images),
    thinking: known(({ thinking }) => thinking),
    tools: known(({ tools }) => tools),
    pdf: known(({ pdf }) => pdf),
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
