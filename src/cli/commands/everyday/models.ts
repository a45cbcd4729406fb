// `turnhouse models`: available models with context windows and prices.
import { listModels, type AvailableModels, type ListedModel } from "../../../app/settings/list-models.ts"
import { readExtensionModel } from "../../../contract/rules/extension-model.ts"
import { oneLine } from "../../../contract/text/text.ts"
import type { Args } from "../../command.ts"
import { contextWithWarnings } from "../../context-options.ts"
import { printResult, table, type Columns } from "../../output.ts"

export async function run(args: Args): Promise<number> {
  const context = await contextWithWarnings(args)
  const available = await listModels(context)
  return printResult(args, available, () => text(available))
}

const shownColumns: Columns<ListedModel> = {
  "": ({ isDefault }) => (isDefault ? "*" : ""),
  MODEL: (model) => oneLine(nameOf(model), Infinity),
  CONTEXT: ({ contextWindow }) => contextWindow?.toLocaleString("en-US") ?? "?",
  IN: ({ prices }) => dollars(prices?.input),
  OUT: ({ prices }) => dollars(prices?.output),
}

function text({ models, priceData, unknownProviders }: AvailableModels): string {
  const notes = [
    "* marks the default. Prices are US dollars per million tokens, input and output; '?' is unknown.",
    `Price data of ${priceData.date}; prices.json in the home overrides it.`,
  ]
  return [table(models, shownColumns), ...notes, ...whenUnknown(unknownProviders), ...whenOffline(models), ""].join(
    "\n",
  )
}

function nameOf({ provider, id }: ListedModel): string {
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

function whenOffline(models: readonly ListedModel[]): readonly string[] {
  if (models.some(({ provider }) => provider !== "offline")) return []
  return [
    "",
    "Only the offline model is available, which follows fixed rules. For a real one set ANTHROPIC_API_KEY, OPENAI_API_KEY or",
    "GOOGLE_GENERATIVE_AI_API_KEY, start a local server (Ollama, LM Studio, vLLM), or set 'providers' in the configuration.",
  ]
}
