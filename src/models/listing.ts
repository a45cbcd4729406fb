// The models that can be chosen: those of providers with a key, those of reachable servers, and the offline model. A
// local server that does not answer has no models.
import type { ExtensionModelListing, ModelListing } from "../contract/views/host.ts"
import type { Route } from "./model-name.ts"
import type { KnownModels } from "./model-facts.ts"
import type { ModelFacts } from "./price-table.ts"
import type { Provider } from "./providers/provider.ts"
import { isLoopback, type ServedModel } from "./providers/served-models.ts"

export type { ExtensionModelListing, ModelListing } from "../contract/views/host.ts"

export interface ListingSources {
  readonly providers: readonly Provider[]
  readonly known: KnownModels
  readonly served: (provider: Provider) => Promise<readonly ServedModel[] | undefined>
  readonly offline: Omit<ModelListing, "isDefault">
  readonly now: number
  /** Absent where no provider is known for it. */
  readonly defaultModel: Route | undefined
}

export type Listed = Omit<ModelListing, "isDefault">

export async function listModels(sources: ListingSources): Promise<ModelListing[]> {
  const { providers, offline, defaultModel } = sources
  const usable = providers.filter((provider) => provider.problem === undefined)
  const found = await Promise.all(usable.map((provider) => modelsOf(provider, sources)))
  const models = [...found.flat(), offline].map((model) => ({
    ...model,
    isDefault: model.provider === defaultModel?.provider && model.id === defaultModel.model,
  }))
  if (defaultModel === undefined || models.some((model) => model.isDefault)) return models
  return [defaultListing(defaultModel, sources), ...models]
}

/** What the catalogue has for providers that cannot be used yet. */
export function listUnavailable(providers: readonly Provider[], known: KnownModels): ModelListing[] {
  const unusable = providers.filter((provider) => provider.problem !== undefined)
  return unusable.flatMap((provider) => {
    return known.listed(provider).map((facts) => ({ ...listing(provider.name, facts.id, facts), isDefault: false }))
  })
}

/** With the models of extensions, each once: several sessions may have the same. */
export function withExtensionModels(
  models: readonly ModelListing[],
  extensionModels: readonly ExtensionModelListing[],
): ModelListing[] {
  const defaultId = models.find((model) => model.isDefault)?.id
  const listed = new Map(extensionModels.map((model) => [model.name, extensionListing(model, defaultId)]))
  return [...models.filter(({ id }) => !listed.has(id)), ...listed.values()]
}

function extensionListing(
  { name, displayName, contextWindow }: ExtensionModelListing,
  defaultId: string | undefined,
): ModelListing {
  const provider = name.slice(0, name.lastIndexOf(":"))
  const facts = { name: displayName, contextWindow: contextWindow ?? undefined, prices: undefined }
  return { provider, id: name, ...facts, isDefault: name === defaultId }
}

/** A list is not fetched again for a day. */
const FRESH_MS = 24 * 60 * 60 * 1000

async function modelsOf(provider: Provider, sources: ListingSources): Promise<Listed[]> {
  const { known, served, now } = sources
  const listed = () => [...listProvider(provider, undefined, known)]
  if (provider.type !== "openai-compatible") return listed()
  const isLocal = isLoopback(provider.baseURL ?? "")
  const fetchedAt = known.catalogue.ownList(provider)
  if (!isLocal && fetchedAt !== undefined && now - fetchedAt.getTime() < FRESH_MS) return listed()
  const models = await served(provider)
  if (models === undefined) return isLocal ? [] : listed()
  return [...listProvider(provider, models, known)]
}

/** The models of one provider: those of its own list, or else those that the catalogues have for it. */
export function listProvider(
  provider: Provider,
  own: readonly ServedModel[] | undefined,
  known: KnownModels,
): readonly Listed[] {
  if (own !== undefined) return own.map((model) => servedListing(provider, model, known))
  return known.listed(provider).map((facts) => listing(provider.name, facts.id, facts))
}

/** What the user's file and the catalogues say comes before what the server says. */
function servedListing(provider: Provider, model: ServedModel, known: KnownModels): Listed {
  const facts = known.find(provider, model.id)
  const listed = listing(provider.name, model.id, facts)
  return {
    ...listed,
    name: facts?.name ?? model.name ?? model.id,
    contextWindow: listed.contextWindow ?? model.contextWindow,
    outputLimit: listed.outputLimit ?? model.outputLimit,
    abilities: facts?.abilities ?? model.abilities,
  }
}

/** The default may be in no list: a mock, a private or a new model. */
function defaultListing(defaultModel: Route, { providers, known }: ListingSources): ModelListing {
  const provider = providers.find(({ name }) => name === defaultModel.provider)
  const facts = provider === undefined ? undefined : known.find(provider, defaultModel.model)
  return { ...listing(defaultModel.provider, defaultModel.model, facts), isDefault: true }
}

function listing(provider: string, id: string, facts: ModelFacts | undefined): Listed {
  const { name = id, contextWindow, outputLimit, abilities, prices } = facts ?? {}
  return { provider, id, name, contextWindow, outputLimit, abilities, prices }
}
