// Checks which models can be used: providers with a key (named by its source, never shown), and local servers that
// answer. Calls no vendor, since that would cost money.
import type { Config } from "../../contract/config.ts"
import { UnknownProvider } from "../../models/model-source.ts"
import { LoginFault, readLogins, type Logins } from "../../models/logins/login-store.ts"
import { localServers } from "../../models/providers/builtin.ts"
import type { Provider } from "../../models/providers/provider.ts"
import { servedModels } from "../../models/providers/served-models.ts"
import { createModelSource } from "../../models/registry.ts"
import { findProvider, providerNames } from "../../models/providers/settings.ts"
import { type Check, type Finding, ok, problem, warning } from "./finding.ts"

const timeoutMs = 2000

export function providerChecks(config: Config, env: NodeJS.ProcessEnv, home: string): readonly Check[] {
  const { logins, findings } = readableLogins(home)
  const { providers: configured = {} } = config
  const sources = { configured, env, localServers, logins }
  const providers = providerNames(sources).flatMap((name) => findProvider(name, sources) ?? [])
  const servers = providers.filter((provider) => isServer(provider) && provider.baseURL !== undefined)
  const vendors = providers.filter((provider) => !isServer(provider))
  const isConfigured = (provider: Provider) => Object.hasOwn(configured, provider.name)
  return [
    { subject: "model", look: () => configuredModel(config, env) },
    { subject: "logins", look: async () => findings },
    { subject: "providers", look: async () => keys(vendors, isConfigured) },
    ...servers.map((server) => ({ subject: "providers", look: () => answering(server, isConfigured(server)) })),
  ]
}

/** Known providers are not called, although they have the same format. */
function isServer({ type, hosted }: Provider): boolean {
  return type === "openai-compatible" && hosted === undefined
}

function readableLogins(home: string): { readonly logins: Logins; readonly findings: readonly Finding[] } {
  try {
    return { logins: readLogins(home), findings: [] }
  } catch (fault) {
    if (!(fault instanceof LoginFault)) throw fault
    return { logins: {}, findings: [problem("logins", fault.message, "no model is called until then")] }
  }
}

async function configuredModel(config: Config, env: NodeJS.ProcessEnv): Promise<readonly Finding[]> {
  if (config.model === undefined) return []
  try {
    await createModelSource({ config, env }).checkProvider(config.model)
    return []
  } catch (fault) {
    if (!(fault instanceof UnknownProvider)) throw fault
    return [problem("model", fault.message, 'change "model" or add its provider')]
  }
}

function keys(vendors: readonly Provider[], isConfigured: (provider: Provider) => boolean): readonly Finding[] {
  const usable = vendors.filter((vendor) => vendor.problem === undefined)
  const missingKeys = vendors.flatMap((vendor) =>
    vendor.problem !== undefined && isConfigured(vendor) ? [warning("providers", vendor.problem, "or remove it")] : [],
  )
  const found = usable.map((vendor) => ok("providers", `${vendor.name} has a key (${sourceOf(vendor)})`))
  if (found.length > 0) return [...found, ...missingKeys]
  const todo =
    "run 'turnhouse login PROVIDER', set ANTHROPIC_API_KEY, OPENAI_API_KEY or GOOGLE_GENERATIVE_AI_API_KEY, or start a local server"
  return [
    ...missingKeys,
    warning("providers", "none has a key; without a local server the offline model is used", todo),
  ]
}

/** A server that is not configured is reported only if it answers. */
async function answering(server: Provider, isConfigured: boolean): Promise<readonly Finding[]> {
  const { name, baseURL = "", headers, credentials } = server
  const key = credentials.kind === "key" ? credentials.value : undefined
  const models = await servedModels({ baseURL, headers, key, timeoutMs })
  if (models !== undefined) return [ok("providers", `${name} answers at ${origin(baseURL)}, ${models.length} models`)]
  if (!isConfigured) return []
  return [warning("providers", `${name} does not answer at ${origin(baseURL)}`, "start it, or fix its baseURL")]
}

function sourceOf({ credentials }: Provider): string {
  return credentials.kind === "none" ? "none" : credentials.source
}

/** Without credentials and path. */
function origin(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : "an invalid address"
}
