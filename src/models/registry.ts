// Resolves model names to providers, and providers to models with limits and prices. Nothing is imported or sent before
// the first model is used, and no name is refused earlier.
import type { Config } from "../contract/config.ts"
import type { ModelAbilities } from "../contract/views/host.ts"
import { nearestKey } from "../contract/text/nearest-key.ts"
import { readExtensionModel } from "../contract/rules/extension-model.ts"
import { listModels, listUnavailable, type ModelListing } from "./listing.ts"
import { loadKnownModels, needsPriceTable, type KnownModels, type ModelFiles } from "./model-facts.ts"
import { emptyPriceTable } from "./price-table.ts"
import type { LoginSource } from "./logins/home-logins.ts"
import { keyOf } from "./logins/login-store.ts"
import { limitsOf } from "./model-limits.ts"
import { isAlwaysNamed, misspelt, unknownSentence } from "./name-hints.ts"
import { offlineProvider, route, split, type Route } from "./model-name.ts"
import {
  ModelUnavailable,
  UnknownProvider,
  type ModelChoice,
  type ModelProblem,
  type ModelSource,
} from "./model-source.ts"
import { localServers, type LocalServer, vendors } from "./providers/builtin.ts"
import { planThinking } from "./thinking/plan.ts"
import { isGatewayPrefix } from "./providers/hosted.ts"
import { httpFetch } from "./http/http-fetch.ts"
import { lateKey, type LateKey, type OnSecret } from "./credentials/late-key.ts"
import type { ProviderClient } from "./providers/connection.ts"
import { explained } from "./providers/wrapped-model.ts"
import type { Environment, Fetch, Provider } from "./providers/provider.ts"
import { explainRefusal } from "./providers/refusals.ts"
import { servedModels, type ServedModel } from "./providers/served-models.ts"
import { connect } from "./providers/connect.ts"
import { findProvider, providerNames, type ProviderSources } from "./providers/settings.ts"

export interface ModelSourceOptions extends ModelFiles {
  readonly config: Pick<Config, "model" | "providers">
  readonly env: Environment
  readonly fetch?: Fetch
  readonly offline?: (name: string) => Promise<ModelChoice>
  readonly localServers?: readonly LocalServer[]
  /** Called with every key that was read from a command or a keychain, before it is used. */
  readonly onSecret?: OnSecret
  /** Keys and tokens of the home. */
  readonly logins?: LoginSource
  /** Timeout for listing the models of a server. */
  readonly probeMs?: number
}

export interface ModelRegistry extends ModelSource {
  /** The provider and the model of a name; undefined if no provider is known for it. */
  routeOf(name: string): Promise<Route | undefined>
  /** Throws UnknownProvider if no configured provider serves the model. */
  checkProvider(name: string): Promise<void>
  /** Undefined if nothing is known against the model. Nothing is sent. */
  problemOf(name: string): Promise<ModelProblem | undefined>
  defaultModel(): Promise<string>
  list(): Promise<ModelListing[]>
  /** Models that the catalogue lists for providers that cannot be used yet. */
  listUnavailable(): Promise<ModelListing[]>
  /** All that are built in or configured, usable or not. */
  providers(): readonly Provider[]
  catalogue(): Promise<KnownModels["catalogue"]>
}

const offlineDemo = "offline/demo"
/** Names come from clients, so the cache is bounded. */
const MAX_CHOICES = 100

export function createModelSource(options: ModelSourceOptions): ModelRegistry {
  return new Registry(options)
}

class Registry implements ModelRegistry {
  readonly #options: ModelSourceOptions
  readonly #sources: ProviderSources
  readonly #offline: (name: string) => Promise<ModelChoice>
  readonly #clients = new Map<string, Promise<ProviderClient>>()
  /** The newest names. Looking up a model's facts is the slowest step before a request. */
  readonly #choices = new Map<string, ModelChoice>()
  readonly #keys = new Map<string, LateKey>()
  #known: Promise<KnownModels> | undefined
  /** Without the price table. */
  #knownLocally: Promise<KnownModels> | undefined

  constructor(options: ModelSourceOptions) {
    const { config, env } = options
    this.#options = options
    this.#sources = {
      configured: config.providers ?? {},
      env,
      localServers: options.localServers ?? localServers,
      logins: options.logins?.stored(),
    }
    this.#offline = options.offline ?? (async (name) => (await import("./offline/index.ts")).offlineChoice(name))
  }

  async resolve(name: string): Promise<ModelChoice> {
    return this.#choices.get(name) ?? this.#choose(name)
  }

  async #choose(name: string): Promise<ModelChoice> {
    if (readExtensionModel(name) !== undefined) throw new ModelUnavailable(noExtensionsMessage(name))
    const { provider: providerName, model } = await this.#knownRoute(name)
    if (providerName === offlineProvider) return this.#offline(name)
    const provider = findProvider(providerName, this.#sources)
    if (provider === undefined) throw await this.#unknownProvider(name, providerName)
    if (provider.problem !== undefined) throw new ModelUnavailable(provider.problem)
    const [client, known] = await Promise.all([this.#client(provider), this.#knownFor(provider)])
    const facts = known.find(provider, model)
    const { maxTotal, ...limits } = limitsOf(provider.type, model, facts)
    const thinks = facts?.abilities?.thinking
    const thinkingModel = {
      name,
      id: model,
      type: provider.type,
      maxTotal,
      thinks,
      efforts: provider.hosted?.quirks?.efforts,
    }
    const choice: ModelChoice = {
      name,
      model: explained(
        client.languageModel(model),
        explainRefusal(provider, model, () => known.listed(provider).map(({ id }) => id)),
      ),
      ...limits,
      ...lackedAbilities(facts?.abilities),
      thinking: (level, maxOutput) => planThinking(thinkingModel, level, maxOutput),
      takesPrefill: false, // newer models refuse it, and most servers answer it with a second beginning
      costUsd: (usage) => facts?.costUsd(usage),
    }
    if (this.#choices.size >= MAX_CHOICES) this.#choices.clear()
    this.#choices.set(name, choice)
    return choice
  }

  async checkProvider(name: string): Promise<void> {
    if (readExtensionModel(name) !== undefined) return
    const { provider } = await this.#knownRoute(name)
    if (provider !== offlineProvider && findProvider(provider, this.#sources) === undefined)
      throw await this.#unknownProvider(name, provider)
  }

  async problemOf(name: string): Promise<ModelProblem | undefined> {
    try {
      await this.checkProvider(name)
    } catch (fault) {
      if (fault instanceof UnknownProvider) return { kind: "unknown", what: fault.message }
      throw fault
    }
    const found = await this.routeOf(name)
    const provider = found === undefined ? undefined : findProvider(found.provider, this.#sources)
    if (found === undefined || provider === undefined) return undefined // of an extension, or offline
    if (provider.problem !== undefined) return { kind: "unusable", what: `model "${name}": ${provider.problem}` }
    const known = await this.#knownFor(provider)
    const meant = misspelt(found.model, provider, known)
    if (meant === undefined) return undefined
    return { kind: "unlisted", what: `model "${name}" is in no list of ${provider.name}. Did you mean ${meant}?` }
  }

  /** The configured one, else that of the first provider with a key, else of a reachable server, else the offline one. */
  async defaultModel(): Promise<string> {
    const configured = this.#options.config.model
    if (configured !== undefined) return configured
    const usable = this.providers().filter((provider) => provider.problem === undefined)
    for (const { name, type, hosted, credentials } of usable) {
      if (credentials.kind === "aws-source") continue // profiles and roles usually serve other purposes
      const model = hosted === undefined ? vendors[type].defaultModel : hosted.defaultModel
      if (model !== undefined) return `${name}/${model}`
    }
    // All servers are asked at once, so that one that hangs costs only its own timeout; the order still decides.
    const servers = usable.filter(({ type, hosted }) => type === "openai-compatible" && hosted === undefined)
    const served = await Promise.all(servers.map((provider) => this.#served(provider)))
    const at = served.findIndex((models) => models !== undefined && models.length > 0)
    return at === -1 ? offlineDemo : `${servers[at]?.name}/${served[at]?.[0]?.id}`
  }

  async list(): Promise<ModelListing[]> {
    const [known, defaultName, demo] = await Promise.all([
      this.#knownModels(),
      this.defaultModel(),
      this.#offline(offlineDemo),
    ])
    return listModels({
      providers: this.providers(),
      known,
      served: (provider) => this.#served(provider),
      offline: {
        provider: offlineProvider,
        id: offlineDemo.slice(offlineProvider.length + 1),
        name: "Offline demonstration",
        contextWindow: demo.contextWindow,
        prices: { input: 0, output: 0 },
      },
      now: Date.now(),
      defaultModel: await this.routeOf(defaultName),
    })
  }

  async listUnavailable(): Promise<ModelListing[]> {
    const known = await this.#knownModels()
    return listUnavailable(this.providers(), known)
  }

  async catalogue(): Promise<KnownModels["catalogue"]> {
    return (await this.#knownModels()).catalogue
  }

  /** The price table is only loaded for names without a provider. */
  async routeOf(name: string): Promise<Route | undefined> {
    const extensionModel = readExtensionModel(name)
    if (extensionModel !== undefined)
      return { provider: `${extensionModel.extension}:${extensionModel.provider}`, model: name }
    const isProvider = (candidate: string) => candidate === offlineProvider || this.#isProvider(candidate)
    const direct = split(name, { isProvider })
    if (direct !== undefined) return direct
    const known = await this.#knownModels()
    const servedBy = (model: string) => known.servedBy(model, this.providers())
    return route(name, { isProvider, configured: this.#options.config.model, servedBy })
  }

  /** Gateways have models with names such as `deepseek/deepseek-flash`: without a key, deepseek is no provider then. */
  #isProvider(name: string): boolean {
    const provider = findProvider(name, this.#sources)
    if (provider === undefined) return false
    const isKnownOnly = isGatewayPrefix(name) && !Object.hasOwn(this.#sources.configured, name)
    if (!isKnownOnly || provider.problem === undefined) return true
    const [ofConfigured = ""] = this.#options.config.model?.split("/") ?? []
    return name === ofConfigured || findProvider(ofConfigured, this.#sources)?.type !== "openai-compatible"
  }

  async #knownRoute(name: string): Promise<Route> {
    const found = await this.routeOf(name)
    if (found !== undefined) return found
    const slash = name.indexOf("/")
    throw await this.#unknownProvider(name, slash > 0 ? name.slice(0, slash) : undefined)
  }

  async #unknownProvider(name: string, provider: string | undefined): Promise<UnknownProvider> {
    const meant = await this.#meant(name, provider, [...providerNames(this.#sources), offlineProvider])
    const usable = this.providers().filter((one) => isAlwaysNamed(one) || one.problem === undefined)
    const names = [...usable.map((one) => one.name), offlineProvider].join(", ")
    const sentence = unknownSentence(name, provider, names)
    return new UnknownProvider(name, meant === undefined ? sentence : `${sentence} Did you mean ${meant}?`)
  }

  /** A model or provider with almost this name. */
  async #meant(name: string, provider: string | undefined, names: readonly string[]): Promise<string | undefined> {
    if (provider !== undefined) {
      const nearest = nearestKey(provider, names)
      return nearest?.close === true ? `${nearest.key}${name.slice(provider.length)}` : undefined
    }
    const known = await this.#knownModels()
    const models = new Map(
      // The first provider of a model counts.
      this.providers()
        .toReversed()
        .flatMap((each) => known.listed(each).map(({ id }) => [id, `${each.name}/${id}`] as const)),
    )
    const nearest = nearestKey(name, [...models.keys()])
    return nearest?.close === true ? models.get(nearest.key) : undefined
  }

  providers(): Provider[] {
    return providerNames(this.#sources).flatMap((name) => findProvider(name, this.#sources) ?? [])
  }

  #client(provider: Provider): Promise<ProviderClient> {
    const { onSecret } = this.#options
    const fetch = this.#fetchFor(provider)
    const client =
      this.#clients.get(provider.name) ?? connect({ provider, fetch, key: this.#lateKey(provider), onSecret })
    this.#clients.set(provider.name, client)
    client.catch(() => this.#clients.delete(provider.name)) // a profile can be corrected while the host runs
    return client
  }

  #lateKey({ name, credentials }: Provider): LateKey | undefined {
    if (credentials.kind !== "late") return undefined
    const key = this.#keys.get(name) ?? lateKey(credentials, name, this.#options.onSecret ?? (() => {}))
    this.#keys.set(name, key)
    return key
  }

  /** A token of a login may have to be renewed; a key is sent as it is. */
  #fetchFor({ name, credentials }: Provider): Fetch {
    const { logins, fetch = httpFetch, onSecret } = this.#options
    const login = this.#sources.logins?.[name]
    const isUsed = login !== undefined && credentials.kind === "key" && credentials.value === keyOf(login)
    return (isUsed ? logins?.fetchFor(name, fetch, onSecret) : undefined) ?? fetch
  }

  #knownFor(provider: Provider): Promise<KnownModels> {
    if (this.#known !== undefined || needsPriceTable(provider)) return this.#knownModels()
    this.#knownLocally ??= loadKnownModels(this.#options, async () => emptyPriceTable).catch((error: unknown) => {
      this.#knownLocally = undefined
      throw error
    })
    return this.#knownLocally
  }

  #knownModels(): Promise<KnownModels> {
    this.#known ??= loadKnownModels(this.#options).catch((error: unknown) => {
      this.#known = undefined // a price file can be corrected while the host runs
      throw error
    })
    return this.#known
  }

  async #served(provider: Provider): Promise<readonly ServedModel[] | undefined> {
    const { baseURL, credentials, headers } = provider
    if (baseURL === undefined) return undefined
    const { fetch, probeMs: timeoutMs = 500 } = this.#options
    const key =
      credentials.kind === "key"
        ? credentials.value
        : await this.#lateKey(provider)
            ?.get()
            .catch(() => undefined) // then the server has no models
    return servedModels({ baseURL, headers, key, fetch, timeoutMs })
  }
}

/** Only what a source knows that the model cannot do; what is unknown is tried. */
function lackedAbilities(abilities: ModelAbilities = {}): Pick<ModelChoice, "takesTools" | "seesImages" | "readsPdf"> {
  return {
    ...(abilities.tools === false ? { takesTools: false } : {}),
    ...(abilities.images === false ? { seesImages: false } : {}),
    ...(abilities.pdf === false ? { readsPdf: false } : {}),
  }
}

function noExtensionsMessage(name: string): string {
  return `Model ${name} belongs to an extension, and this session has no extensions.`
}
