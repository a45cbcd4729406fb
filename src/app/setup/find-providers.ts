// Finds out which providers can be used now and what the others need. Asks local servers, never a vendor.
import { fetchList } from "../../models/catalogue/fetch-list.ts"
import type { Provider } from "../../models/providers/provider.ts"
import { isLoopback } from "../../models/providers/served-models.ts"
import { createModelSource } from "../../models/registry.ts"
import type { AppContext } from "../context.ts"
import { modelsOfHome } from "../settings/model-files.ts"
import { isRefusal } from "../../models/logins/check-key.ts"
import { flowOf } from "../../models/logins/flows.ts"
import { defaultModelOf, knownProviders, needsKey } from "./draft.ts"

export interface ProviderOption {
  readonly name: string
  /** `key`: it needs a key or a login. `stopped`: a local server that does not answer. `settings`: see `note`. */
  readonly state: "usable" | "key" | "stopped" | "settings"
  /** Where the key or the models come from, or what is missing. */
  readonly note: string
  /** A key is not the only way: there is a login with a browser. */
  readonly hasLogin: boolean
}

const offlineDemo = "offline/demo"
/** Only a server that accepts connections and is silent takes so long. */
const PROBE_MS = 5000
const MAX_NAMED_MODELS = 2

/** The model that sessions get now, and whether the configuration says so. */
export async function currentModel({ config, home }: AppContext): Promise<{ name: string; isConfigured: boolean }> {
  const source = createModelSource({ config, env: process.env, ...modelsOfHome(home) })
  return { name: await source.defaultModel(), isConfigured: config.model !== undefined }
}

/** Only the offline model would answer. */
export async function lacksModel(context: AppContext): Promise<boolean> {
  const { name, isConfigured } = await currentModel(context)
  return !isConfigured && name === offlineDemo
}

/**
 * The usable ones first: the one that is used now, those with a default model, local servers, and those that are only used
 * when named.
 */
export async function findProviders(context: AppContext): Promise<readonly ProviderOption[]> {
  const providers = knownProviders(context)
  const [current, options] = await Promise.all([
    currentModel(context),
    Promise.all(providers.map(async (provider) => ({ provider, option: await optionOf(provider, context) }))),
  ])
  const isCurrent = (name: string) => current.name.startsWith(`${name}/`)
  return options
    .map(({ provider, option }) => ({ option, rank: rankOf(provider, option, isCurrent(provider.name)) }))
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ option }) => option)
}

function rankOf(provider: Provider, { state }: ProviderOption, isCurrent: boolean): number {
  if (state !== "usable") return 4
  if (isCurrent) return 0
  if (isLocal(provider)) return 2
  return defaultModelOf(provider) === undefined ? 3 : 1
}

async function optionOf(provider: Provider, { config }: AppContext): Promise<ProviderOption> {
  const { name, problem, credentials } = provider
  const hasLogin = typeof flowOf(name, config.providers?.[name]?.login) === "object"
  if (needsKey(provider)) return { name, state: "key", note: "", hasLogin }
  if (problem !== undefined) return { name, state: "settings", note: problem, hasLogin }
  if (isLocal(provider)) return { ...(await localOption(provider)), hasLogin }
  return { name, state: "usable", note: credentials.kind === "none" ? "no key needed" : credentials.source, hasLogin }
}

/** A server on this machine, for which no key is known. */
function isLocal({ baseURL = "", credentials }: Provider): boolean {
  return credentials.kind === "none" && isLoopback(baseURL)
}

async function localOption(provider: Provider): Promise<Omit<ProviderOption, "hasLogin">> {
  const { name, baseURL = "" } = provider
  const { host } = new URL(baseURL)
  const list = await fetchList(provider, globalThis.fetch, PROBE_MS)
  if ("models" in list) return { name, state: "usable", note: `at ${host}${modelsNote(list.models)}` }
  if (isRefusal(provider, list.status)) return { name, state: "usable", note: `at ${host}, with a key` }
  return { name, state: "stopped", note: `does not answer at ${host}` } // or another program uses the port
}

function modelsNote(models: readonly { readonly id: string }[]): string {
  if (models.length === 0) return ", without models"
  const named = models.slice(0, MAX_NAMED_MODELS).map(({ id }) => id)
  const more = models.length > named.length ? ` and ${models.length - named.length} more` : ""
  return `: ${named.join(", ")}${more}`
}
