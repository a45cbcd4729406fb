// Lists the models that can be used, what else could be, and fetches newer data about them. Models of extensions are
// listed if an open session has them: no extension is started.
import { dataAge, type DataAge } from "../../models/catalogue/data-age.ts"
import { withExtensionModels, type ModelListing } from "../../models/listing.ts"
import { ModelUnavailable } from "../../models/model-source.ts"
import type { Provider } from "../../models/providers/provider.ts"
import { isLoopback } from "../../models/providers/served-models.ts"
import { priceData } from "../../models/price-table.ts"
import { createModelSource, type ModelRegistry } from "../../models/registry.ts"
import { AppFault } from "../app-fault.ts"
import type { AppContext } from "../context.ts"
import { askHosts, listExtensions, modelsOf } from "../extensions/list.ts"
import { modelFiles, modelsOfHome } from "./model-files.ts"

export type ListedModel = ModelListing

export interface AvailableModels {
  readonly models: readonly ListedModel[]
  /** Models of providers that cannot be used yet. */
  readonly otherModels: readonly ListedModel[]
  readonly priceData: typeof priceData
  /** Where facts come from besides the prices; `fetched` after a refresh. */
  readonly catalogue: Readonly<Record<"bundled" | "fetched", { source: string; date: string } | undefined>>
  readonly dataAge: DataAge
  /** Providers that cannot be used, and why. */
  readonly unavailable: readonly { readonly provider: string; readonly reason: string }[]
  /** Extensions of this folder that may have models and that no open session has loaded. */
  readonly unknownProviders: readonly string[]
  readonly warnings: readonly string[]
}

export async function listModels(context: AppContext): Promise<AvailableModels> {
  const registry = registryOf(context)
  const reports = await askHosts(context)
  const { models, otherModels, catalogue } = await reported(registry)
  const running = new Set(reports.flatMap(({ extensions = [] }) => extensions.map(({ id }) => id)))
  const unknown = (await listExtensions(context)).extensions.filter(
    ({ id, trusted, permissions }) => trusted && permissions.includes("providers.register") && !running.has(id),
  )
  const unusable = registry
    .providers()
    .flatMap(({ name, problem }) => (problem === undefined ? [] : [{ provider: name, reason: problem }]))
  return {
    models: withExtensionModels(models, modelsOf(reports)),
    otherModels,
    priceData,
    dataAge: dataAge(catalogue, new Date()),
    catalogue: { bundled: dated(catalogue.bundledData), fetched: dated(catalogue.fetchedData) },
    unavailable: unusable,
    unknownProviders: unknown.map(({ id }) => id),
    warnings: catalogue.problems,
  }
}

/** `from`: an address or a file in the format of models.dev; default: models.dev itself. */
export async function refreshModels(context: AppContext, from: string | undefined) {
  const { defaultCatalogueUrl, refreshCatalogue } = await import("../../models/catalogue/refresh.ts")
  const { catalogueFolder } = modelFiles(context.home)
  return refreshCatalogue({
    folder: catalogueFolder,
    providers: registryOf(context).providers().filter(isRemote),
    from: from ?? defaultCatalogueUrl,
    fetch: globalThis.fetch,
    now: new Date(),
    timeoutMs: REFRESH_TIMEOUT_MS,
  })
}

const REFRESH_TIMEOUT_MS = 20_000

/** A local server without a key is asked whenever its models are listed. */
function isRemote({ problem, credentials, baseURL = "" }: Provider): boolean {
  return problem === undefined && (credentials.kind !== "none" || !isLoopback(baseURL))
}

function registryOf({ config, home }: AppContext): ModelRegistry {
  return createModelSource({ config, env: process.env, ...modelsOfHome(home) })
}

function dated(data: { source: string; date: string } | undefined) {
  return data && { source: data.source, date: data.date }
}

async function reported(registry: ModelRegistry) {
  try {
    const [models, otherModels, catalogue] = await Promise.all([
      registry.list(),
      registry.listUnavailable(),
      registry.catalogue(),
    ])
    return { models, otherModels, catalogue }
  } catch (fault) {
    if (fault instanceof ModelUnavailable) throw new AppFault(fault.message)
    throw fault
  }
}
