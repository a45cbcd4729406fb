// Sets cache points, after which a provider keeps what it has read: after the tools, after the system prompt, and after
// the last two messages that are not the model's own. Of these two, the older one reads what the previous request cached,
// the newer one caches for the next request. Parts that may change come behind the points. Anthropic takes four; Bedrock
// takes them for models that can cache, and none for tools. Other providers need none.
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
} from "@ai-sdk/provider"
import { isChanging } from "../contract/rules/changing-part.ts"

type ProviderOptions = NonNullable<LanguageModelV4Message["providerOptions"]>

const anthropicPoint: ProviderOptions = { anthropic: { cacheControl: { type: "ephemeral" } } }
const bedrockPoint: ProviderOptions = { bedrock: { cachePoint: { type: "default" } } }
/** Bedrock refuses a request with cache points for other models, older Claude models included. */
const cachesOnBedrock = /anthropic\.claude-(?!v\d|instant|3-(?:sonnet|opus|haiku)|3-5-sonnet)|amazon\.nova-/

type Cacheable = Pick<LanguageModelV4CallOptions, "prompt" | "tools">

export function withCachePoints<Options extends Cacheable>(
  model: Pick<LanguageModelV4, "provider" | "modelId">,
  options: Options,
): Options {
  const point = pointOf(model)
  if (point === undefined) return options
  const divided = options.prompt.flatMap(divide)
  const marked = markedMessages(divided)
  const prompt = divided.map((message, index) => (marked.has(index) ? withPoint(message, point) : message))
  const { tools } = options
  return tools === undefined || point !== anthropicPoint
    ? { ...options, prompt }
    : { ...options, prompt, tools: markLastFunction(tools, point) }
}

function pointOf({ provider, modelId }: Pick<LanguageModelV4, "provider" | "modelId">): ProviderOptions | undefined {
  if (provider.split(".")[0] === "anthropic") return anthropicPoint
  return provider === "amazon-bedrock" && cachesOnBedrock.test(modelId) ? bedrockPoint : undefined
}

/** What may change becomes a message of its own. These providers join messages of the user again. */
function divide(message: LanguageModelV4Message): LanguageModelV4Prompt {
  const at = message.role === "user" ? message.content.findIndex(isChanging) : -1
  if (message.role !== "user" || at < 1) return [message]
  return [
    { ...message, content: message.content.slice(0, at) },
    { role: "user", content: message.content.slice(at) },
  ]
}

function markedMessages(prompt: readonly LanguageModelV4Message[]): Set<number> {
  const indices = prompt.flatMap((message, index) => (canEnd(message) ? [index] : []))
  const system = indices.filter((index) => prompt[index]?.role === "system").slice(-1)
  const newest = indices.filter((index) => prompt[index]?.role !== "system").slice(-2)
  return new Set([...system, ...newest])
}

/** The API refuses a breakpoint on an empty block. */
function canEnd(message: LanguageModelV4Message): boolean {
  if (message.role === "system") return message.content !== ""
  if (message.role === "assistant") return false
  const last = message.content.at(-1)
  return last !== undefined && !isChanging(last) && !(last.type === "text" && last.text === "")
}

function markLastFunction(
  tools: NonNullable<Cacheable["tools"]>,
  point: ProviderOptions,
): NonNullable<Cacheable["tools"]> {
  const last = tools.findLastIndex((tool) => tool.type === "function")
  return tools.map((tool, index) => (index === last && tool.type === "function" ? withPoint(tool, point) : tool))
}

function withPoint<Marked extends Pick<LanguageModelV4Message, "providerOptions">>(
  marked: Marked,
  point: ProviderOptions,
): Marked {
  const own = marked.providerOptions ?? {}
  const added = Object.entries(point).map(([name, value]) => [name, { ...own[name], ...value }])
  return { ...marked, providerOptions: { ...own, ...Object.fromEntries(added) } }
}
