// Checks which models can be used: providers with a key (named by its source, never shown), and local servers that
// answer. Calls no vendor, since that would cost money.
import type { Config } from "../../contract/config.ts"
import { LoginFault, readLogins, type Logins } from "../../models/logins/login-store.ts"
import { localServers } from "../../models/providers/builtin.ts"
import type { Provider } from "../../models/providers/provider.ts"
import { servedModels } from "../../models/providers/served-models.ts"
import { createModelSource } from "../../models/registry.ts"
import { findProvider, providerNames } from "../../models/providers/settings.ts"
import { dataAge } from "../../models/catalogue/data-age.ts"
import { loadCatalogue } from "../../models/catalogue/model-catalogue.ts"
import { modelFiles } from "../settings/model-files.ts"
import { modelNameProblems } from "../settings/check-model.ts"
import { type Check, type Finding, ok, problem, warning } from "./finding.ts"

/** Less than a check may take. */
const timeoutMs = 4000

export function providerChecks(config: Config, env: NodeJS.ProcessEnv, home: string): readonly Check[] {
  const { logins, findings } = readableLogins(home)
  const { providers: configured = {} } = config
  const sources = { configured, env, localServers, logins }
  const providers = providerNames(sources).flatMap((name) => findProvider(name, sources) ?? [])
  const servers = providers.filter((provider) => isServer(provider) && provider.baseURL !== undefined)
  const vendors = providers.filter((provider) => !isServer(provider))
  const isConfigured = (provider: Provider) => Object.hasOwn(configured, provider.name)
  return [
    { subject: "model", look: () => configuredModels(config, env, logins) },
    { subject: "models", look: () => catalogueFindings(home) },
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

async function configuredModels(config: Config, env: NodeJS.ProcessEnv, logins: Logins): Promise<readonly Finding[]> {
  const stored = { stored: () => logins, fetchFor: () => undefined }
  const problems = await modelNameProblems(config, createModelSource({ config, env, logins: stored }))
  return problems.map(({ where, kind, what }) => {
    const sentence = where === "model" ? what : `${where}: ${what}`
    if (kind === "unknown") return problem("model", sentence, `change "${where}" or add its provider`)
    return warning("model", sentence, kind === "unusable" ? `or change "${where}"` : `check "${where}"`)
  })
}

/** Old data is no fault: it still works, and a release may have newer data. */
async function catalogueFindings(home: string): Promise<readonly Finding[]> {
  const catalogue = await loadCatalogue(modelFiles(home).catalogueFolder)
  const { date, days, isOld } = dataAge(catalogue, new Date())
  const hint = isOld ? `, ${days} days old: 'turnhouse models --refresh' fetches newer data` : ""
  const damaged = catalogue.problems.map((what) => warning("models", what, "run 'turnhouse models --refresh'"))
  return [ok("models", `data of ${date}${hint}`), ...damaged]
}

function keys(vendors: readonly Provider[], isConfigured: (provider: Provider) => boolean): readonly Finding[] {
  const usable = vendors.filter((vendor) => vendor.problem === undefined)
  const missingKeys = vendors.flatMap((vendor) =>
    vendor.problem !== undefined && isConfigured(vendor) ? [warning("providers", vendor.problem, "or remove it")] : [],
  )
  const found = usable.map((vendor) => ok("providers", `${vendor.name} has a key (${sourceOf(vendor)})`))
  if (found.length > 0) return [...found, ...missingKeys]
  const todo =
    "run 'turnhouse setup', set ANTHROPIC_API_KEY, OPENAI_API_KEY or GOOGLE_GENERATIVE_AI_API_KEY, or start a local server"
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
