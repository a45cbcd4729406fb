// Reads a catalogue in the format of https://models.dev/api.json: providers by id, each with its models by id.
// The data comes from a network peer: unknown fields are ignored, entries without an id or a text output are left out.
import { isObject } from "../../contract/json-object.ts"
import type { TokenPrices } from "../../contract/views/host.ts"
import { catalogueProvider, MAX_PROVIDERS, type CatalogueFile } from "./catalogue-file.ts"
import { isModelId, modelName, type CatalogueModel, type CataloguePrices } from "./catalogue-line.ts"
import { amount, listed, record, tokens, yesOrNo } from "./foreign-values.ts"

/** Hosts of providers for which the data names no address, because they have a package of their own. */
const knownHosts: Readonly<Record<string, readonly string[]>> = {
  anthropic: ["api.anthropic.com"],
  openai: ["api.openai.com"],
  google: ["generativelanguage.googleapis.com"],
  groq: ["api.groq.com"],
  mistral: ["api.mistral.ai"],
  xai: ["api.x.ai"],
  cerebras: ["api.cerebras.ai"],
  togetherai: ["api.together.ai", "api.together.xyz"],
  deepinfra: ["api.deepinfra.com"],
  perplexity: ["api.perplexity.ai"],
  vercel: ["ai-gateway.vercel.sh"],
}

/** Undefined if the value is not in this format or has no model. */
export function catalogueFromModelsDev(value: unknown, source: string, date: string): CatalogueFile | undefined {
  if (!isObject(value)) return undefined
  const providers = Object.entries(value)
    .slice(0, MAX_PROVIDERS)
    .flatMap(([name, entry]) => {
      const models = isModelId(name) ? modelsOf(entry) : []
      return models.length === 0 ? [] : [[name, catalogueProvider(hostsOf(name, entry), models)] as const]
    })
  return providers.length === 0 ? undefined : { version: 1, source, date, providers: Object.fromEntries(providers) }
}

function hostsOf(name: string, entry: unknown): readonly string[] {
  const api = record(entry)["api"]
  const host = typeof api === "string" && URL.canParse(api) ? [new URL(api).host] : []
  return [...host, ...(Object.hasOwn(knownHosts, name) ? (knownHosts[name] ?? []) : [])]
}

function modelsOf(provider: unknown): readonly CatalogueModel[] {
  return Object.entries(record(record(provider)["models"])).flatMap(([id, entry]) => modelOf(id, entry) ?? [])
}

function modelOf(id: string, entry: unknown): CatalogueModel | undefined {
  if (!isObject(entry)) return undefined
  const model = record(entry)
  const modalities = record(model["modalities"])
  const outputs = listed(modalities["output"])
  if (!isModelId(id) || model["status"] === "deprecated" || outputs?.includes("text") === false) return undefined
  const inputs = listed(modalities["input"])
  const limit = record(model["limit"])
  return {
    id,
    name: typeof model["name"] === "string" ? modelName(model["name"]) : undefined,
    contextWindow: tokens(limit["context"]),
    outputLimit: tokens(limit["output"]),
    abilities: {
      images: inputs?.includes("image"),
      thinking: yesOrNo(model["reasoning"]),
      tools: yesOrNo(model["tool_call"]),
      pdf: inputs?.includes("pdf"),
    },
    prices: pricesOf(record(model["cost"])),
  }
}

function pricesOf(cost: Readonly<Record<string, unknown>>): CataloguePrices | undefined {
  const base = ratesOf(cost)
  if (base === undefined) return undefined
  const over200k = ratesOf(record(cost["context_over_200k"]))
  return { base, longer: over200k === undefined ? [] : [{ inputAbove: 200_000, prices: over200k }] }
}

function ratesOf(cost: Readonly<Record<string, unknown>>): TokenPrices | undefined {
  const [input, output] = [amount(cost["input"]), amount(cost["output"])]
  if (input === undefined || output === undefined) return undefined
  return { input, output, cacheRead: amount(cost["cache_read"]), cacheWrite5m: amount(cost["cache_write"]) }
}
