// `turnhouse models`: available models with context windows and prices. Models of extensions are listed if an open session
// has them: no extension is started.
import { join } from "node:path"
import { readExtensionModel } from "../../../contract/rules/extension-model.ts"
import { withBroughtModels, type ModelListing } from "../../../models/listing.ts"
import { ModelUnavailable } from "../../../models/model-source.ts"
import { priceData } from "../../../models/price-table.ts"
import { createModelSource } from "../../../models/registry.ts"
import { AppFault, exitCodes } from "../../../app/app-fault.ts"
import type { Args } from "../../command.ts"
import { contextOf, printWarnings } from "../../context-options.ts"
import { lookAround } from "../../ext/list.ts"
import { askHosts, type HostReport } from "../../../app/extensions/running.ts"
import { broughtIn } from "../../ext/running-text.ts"
import type { AppContext } from "../../../app/context.ts"
import { table, type Columns, writeJson } from "../../output.ts"
import { oneLine } from "../../../contract/text/text.ts"

export async function run(args: Args): Promise<number> {
  const context = await contextOf(args)
  printWarnings(context)
  const reports = await askHosts(context.home)
  const models = withBroughtModels(await listed(context), broughtIn(reports))
  const unknown = await unknownProviders(context, reports)
  if (args.flag("json")) writeJson({ models, priceData, unknownProviders: unknown })
  else process.stdout.write(text(models, unknown))
  return exitCodes.done
}

/** Extensions of this folder that may have models and that no open session has loaded. */
async function unknownProviders(context: AppContext, reports: readonly HostReport[]): Promise<readonly string[]> {
  const running = new Set(reports.flatMap(({ extensions = [] }) => extensions.map(({ id }) => id)))
  const { loaded } = await lookAround(context)
  const mayBring = loaded.extensions.filter(({ permissions }) => permissions.has("providers.register"))
  return mayBring.map(({ id }) => id).filter((id) => !running.has(id))
}

async function listed({ home, config }: AppContext): Promise<readonly ModelListing[]> {
  try {
    return await createModelSource({ config, env: process.env, pricesFile: join(home, "prices.json") }).list()
  } catch (fault) {
    if (fault instanceof ModelUnavailable) throw new AppFault(fault.message)
    throw fault
  }
}

const shownColumns: Columns<ModelListing> = {
  "": ({ isDefault }) => (isDefault ? "*" : ""),
  MODEL: (model) => oneLine(nameOf(model), Infinity),
  CONTEXT: ({ contextWindow }) => contextWindow?.toLocaleString("en-US") ?? "?",
  IN: ({ prices }) => dollars(prices?.input),
  OUT: ({ prices }) => dollars(prices?.output),
}

function text(models: readonly ModelListing[], unknown: readonly string[]): string {
  const notes = [
    "* marks the default. Prices are US dollars per million tokens, input and output; '?' is unknown.",
    `Price data of ${priceData.date}; prices.json in the home overrides it.`,
  ]
  return [table(models, shownColumns), ...notes, ...whenUnknown(unknown), ...whenOffline(models), ""].join("\n")
}

function nameOf({ provider, id }: ModelListing): string {
  return readExtensionModel(id) === undefined ? `${provider}/${id}` : id
}

function whenUnknown(extensions: readonly string[]): readonly string[] {
  if (extensions.length === 0) return []
  const ids = oneLine(extensions.join(", "), Infinity)
  return [`Extensions may add models; they are listed while a session with them is open: ${ids}.`]
}

function dollars(price: number | undefined): string {
  return price === undefined ? "?" : String(Number(price.toPrecision(6)))
}

function whenOffline(models: readonly ModelListing[]): readonly string[] {
  if (models.some(({ provider }) => provider !== "offline")) return []
  return [
    "",
    "Only the offline model is available, which follows fixed rules. For a real one set ANTHROPIC_API_KEY, OPENAI_API_KEY or",
    "GOOGLE_GENERATIVE_AI_API_KEY, start a local server (Ollama, LM Studio, vLLM), or set 'providers' in the configuration.",
  ]
}
