// `turnhouse models`: what could be chosen now, with context windows and prices.
import { join } from "node:path"
import type { ModelListing } from "../../models/listing.ts"
import { ModelUnavailable } from "../../models/model-source.ts"
import { priceData } from "../../models/price-table.ts"
import { createModelSource } from "../../models/registry.ts"
import { CliFault } from "../cli-fault.ts"
import type { Args } from "../command.ts"
import { surroundings } from "../surroundings.ts"
import { exitCodes } from "../exit-codes.ts"
import { table } from "../table.ts"
import { oneLine, say } from "../terminal.ts"
import { writeJson } from "../write-json.ts"

export async function run(args: Args): Promise<number> {
  const around = await surroundings({ configFile: args.text("config"), profile: args.text("profile") })
  for (const warning of around.warnings) say(`turnhouse: ${warning}`)
  const models = await listed(around)
  if (args.flag("json")) writeJson({ models, priceData })
  else process.stdout.write(text(models))
  return exitCodes.done
}

async function listed({ home, config }: Awaited<ReturnType<typeof surroundings>>): Promise<readonly ModelListing[]> {
  try {
    return await createModelSource({ config, env: process.env, pricesFile: join(home, "prices.json") }).list()
  } catch (fault) {
    if (fault instanceof ModelUnavailable) throw new CliFault(fault.message, exitCodes.failed)
    throw fault
  }
}

function text(models: readonly ModelListing[]): string {
  const rows = models.map((model) => [
    model.isDefault ? "*" : "",
    oneLine(`${model.provider}/${model.id}`, Infinity),
    model.contextWindow?.toLocaleString("en-US") ?? "?",
    dollars(model.prices?.input),
    dollars(model.prices?.output),
  ])
  const notes = [
    "* is the default. Prices are US dollars for a million tokens in and out; '?' is not known.",
    `Price data of ${priceData.date}; prices.json in the home folder comes first.`,
  ]
  return [table(["", "MODEL", "CONTEXT", "IN", "OUT"], rows), ...notes, ...whenOffline(models), ""].join("\n")
}

function dollars(price: number | undefined): string {
  return price === undefined ? "?" : String(Number(price.toPrecision(6)))
}

function whenOffline(models: readonly ModelListing[]): readonly string[] {
  if (models.some(({ provider }) => provider !== "offline")) return []
  return [
    "",
    "Only the offline model is there, which follows fixed rules. For a real one set ANTHROPIC_API_KEY, OPENAI_API_KEY or",
    "GOOGLE_GENERATIVE_AI_API_KEY, start a local server (Ollama, LM Studio, vLLM), or set 'providers' in the configuration.",
  ]
}
