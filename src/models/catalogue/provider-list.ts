// The models that a provider itself lists at its /models endpoint, with what it says about them. Every vendor describes
// its models with other fields; those of Anthropic, Google, OpenRouter, Groq, Mistral, Together and vLLM are read.
import { isObject } from "../../contract/json-object.ts"
import type { ModelAbilities, TokenPrices } from "../../contract/views/host.ts"
import { MAX_MODELS } from "./catalogue-file.ts"
import { isModelId, modelName, type CatalogueModel, type CataloguePrices } from "./catalogue-line.ts"
import { listed, record, tokens, yesOrNo } from "./foreign-values.ts"

/** Undefined if the answer is no list of models. */
export function readProviderList(answer: unknown): readonly CatalogueModel[] | undefined {
  const entries = Array.isArray(answer) ? answer : (listed(record(answer)["data"]) ?? listed(record(answer)["models"]))
  return entries?.slice(0, MAX_MODELS).flatMap((entry) => (isObject(entry) ? (modelOf(entry) ?? []) : []))
}

/** Lists also have models for speech, pictures and search, and few say which. */
const otherKinds =
  /embed|image|audio|tts|transcri|realtime|whisper|\blive\b|moderation|rerank|guard|sonic|robotics|veo|imagen|dall-e|sora|davinci|babbage|aqa|ocr/i

const windowFields = [
  "context_length",
  "context_window",
  "max_context_length",
  "max_model_len",
  "inputTokenLimit",
  "max_input_tokens",
]

type Entry = Readonly<Record<string, unknown>>

function modelOf(entry: Entry): CatalogueModel | undefined {
  const id = idOf(entry)
  if (id === undefined || !isModelId(id) || otherKinds.test(id) || !answersText(entry)) return undefined
  const { display_name: display, displayName, name } = entry
  const shown = [display, displayName, name].find((text) => typeof text === "string" && text !== entry["id"])
  return {
    id,
    name: typeof shown === "string" ? modelName(shown.replace(/^models\//, "")) : undefined,
    contextWindow: first(entry, windowFields),
    outputLimit: outputOf(entry),
    abilities: abilitiesOf(entry),
    prices: pricesOf(record(entry["pricing"])),
  }
}

function idOf({ id, name }: Entry): string | undefined {
  if (typeof id === "string") return id
  return typeof name === "string" ? name.replace(/^models\//, "") : undefined // Google
}

function answersText(entry: Entry): boolean {
  const { type, supportedGenerationMethods: methods } = entry
  if (Array.isArray(methods)) return methods.includes("generateContent")
  const { completion_chat: chats } = record(entry["capabilities"])
  const outputs = listed(record(entry["architecture"])["output_modalities"])
  const isChat =
    typeof type !== "string" || !["embedding", "image", "audio", "moderation", "rerank", "transcribe"].includes(type)
  return isChat && chats !== false && outputs?.includes("text") !== false
}

function first(entry: Entry, fields: readonly string[]): number | undefined {
  return fields.map((field) => tokens(entry[field])).find((value) => value !== undefined)
}

function outputOf(entry: Entry): number | undefined {
  const ofProvider = tokens(record(entry["top_provider"])["max_completion_tokens"])
  return ofProvider ?? first(entry, ["max_completion_tokens", "outputTokenLimit", "max_tokens", "max_output_length"])
}

function abilitiesOf(entry: Entry): ModelAbilities {
  const capabilities = record(entry["capabilities"])
  const inputs = listed(record(entry["architecture"])["input_modalities"])
  const parameters = listed(entry["supported_parameters"])
  return {
    images: supports(capabilities["image_input"]) ?? yesOrNo(capabilities["vision"]) ?? inputs?.includes("image"),
    thinking:
      supports(capabilities["thinking"]) ??
      yesOrNo(capabilities["reasoning"]) ??
      yesOrNo(entry["thinking"]) ??
      parameters?.includes("reasoning"),
    tools: yesOrNo(capabilities["function_calling"]) ?? parameters?.includes("tools"),
    pdf:
      supports(capabilities["pdf_input"]) ?? (inputs === undefined ? undefined : inputs.includes("file") || undefined),
  }
}

/** Anthropic: `{"supported": true}`. */
function supports(capability: unknown): boolean | undefined {
  return yesOrNo(record(capability)["supported"])
}

/** OpenRouter: dollars for one token, as text. A negative price means that the model behind it varies. */
function pricesOf(pricing: Entry): CataloguePrices | undefined {
  const [input, output] = [perMillion(pricing["prompt"]), perMillion(pricing["completion"])]
  if (input === undefined || output === undefined) return undefined
  const base: TokenPrices = {
    input,
    output,
    cacheRead: perMillion(pricing["input_cache_read"]),
    cacheWrite5m: perMillion(pricing["input_cache_write"]),
  }
  return { base, longer: [] }
}

function perMillion(text: unknown): number | undefined {
  const price = typeof text === "string" && text.trim() !== "" ? Number(text) : NaN
  return Number.isFinite(price) && price >= 0 ? Number((price * 1_000_000).toPrecision(9)) : undefined
}
