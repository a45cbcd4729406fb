// Sets Anthropic's four cache breakpoints: after the tools, after the system prompt, and after the last two messages
// that are not the model's own. Of these two, the older one reads what the previous request cached, the newer one caches
// for the next request. Other providers need no breakpoints.
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4Message } from "@ai-sdk/provider"

const breakpoint = { anthropic: { cacheControl: { type: "ephemeral" } } } as const

type Cacheable = Pick<LanguageModelV4CallOptions, "prompt" | "tools">

export function withCacheBreakpoints<Options extends Cacheable>(
  model: Pick<LanguageModelV4, "provider">,
  options: Options,
): Options {
  if (model.provider.split(".")[0] !== "anthropic") return options
  const marked = markedMessages(options.prompt)
  const prompt = options.prompt.map((message, index) => (marked.has(index) ? withBreakpoint(message) : message))
  return options.tools === undefined
    ? { ...options, prompt }
    : { ...options, prompt, tools: markLastFunction(options.tools) }
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
  return last !== undefined && !(last.type === "text" && last.text === "")
}

function markLastFunction(tools: NonNullable<Cacheable["tools"]>): NonNullable<Cacheable["tools"]> {
  const last = tools.findLastIndex((tool) => tool.type === "function")
  return tools.map((tool, index) => (index === last && tool.type === "function" ? withBreakpoint(tool) : tool))
}

function withBreakpoint<Marked extends Pick<LanguageModelV4Message, "providerOptions">>(marked: Marked): Marked {
  const anthropic = { ...marked.providerOptions?.["anthropic"], ...breakpoint.anthropic }
  return { ...marked, providerOptions: { ...marked.providerOptions, anthropic } }
}
