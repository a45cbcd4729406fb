// Lists the available models. Models of extensions are listed if an open session has them: no extension is started.
import { join } from "node:path"
import { withExtensionModels, type ModelListing } from "../../models/listing.ts"
import { ModelUnavailable } from "../../models/model-source.ts"
import { priceData } from "../../models/price-table.ts"
import { createModelSource } from "../../models/registry.ts"
import { AppFault } from "../app-fault.ts"
import type { AppContext } from "../context.ts"
import { askHosts, listExtensions, modelsOf } from "../extensions/list.ts"

export type ListedModel = ModelListing

export interface AvailableModels {
  readonly models: readonly ListedModel[]
  readonly priceData: typeof priceData
  /** Extensions of this folder that may have models and that no open session has loaded. */
  readonly unknownProviders: readonly string[]
}

export async function listModels(context: AppContext): Promise<AvailableModels> {
  const reports = await askHosts(context.home)
  const models = withExtensionModels(await configuredModels(context), modelsOf(reports))
  const running = new Set(reports.flatMap(({ extensions = [] }) => extensions.map(({ id }) => id)))
  const unknown = listExtensions(context).extensions.filter(
    ({ id, trusted, permissions }) => trusted && permissions.includes("providers.register") && !running.has(id),
  )
  return { models, priceData, unknownProviders: unknown.map(({ id }) => id) }
}

async function configuredModels({ home, config }: AppContext): Promise<readonly ModelListing[]> {
  try {
    return await createModelSource({ config, env: process.env, pricesFile: join(home, "prices.json") }).list()
  } catch (fault) {
    if (fault instanceof ModelUnavailable) throw new AppFault(fault.message)
    throw fault
  }
}
