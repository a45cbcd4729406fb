// Token counts of an offline call: about four characters per token, close enough for budgets and compaction to behave
// as with a real model. No cache tokens unless a script sets them.
import type { LanguageModelV4CallOptions, LanguageModelV4Message, LanguageModelV4Usage } from "@ai-sdk/provider"
import type { ScriptedUsage } from "./part.ts"

const charactersPerToken = 4
/** An image or document, whose tokens do not follow from its bytes. */
const tokensOfFile = 250

export interface OutputLengths {
  readonly text: number
  readonly reasoning: number
}

export function tokensOf(characters: number): number {
  return Math.ceil(characters / charactersPerToken)
}

export function promptTokens(options: LanguageModelV4CallOptions): number {
  const tools = (options.tools ?? []).reduce((sum, tool) => sum + tokensOf(JSON.stringify(tool).length), 0)
  return options.prompt.reduce((sum, message) => sum + messageTokens(message), tools)
}

export function usageOf(input: number, lengths: OutputLengths, scripted: ScriptedUsage): LanguageModelV4Usage {
  const total = scripted.input ?? input
  const cacheRead = scripted.cacheRead ?? 0
  const cacheWrite = scripted.cacheWrite ?? 0
  const reasoning = scripted.reasoning ?? tokensOf(lengths.reasoning)
  const output = scripted.output ?? tokensOf(lengths.text) + reasoning
  return {
    inputTokens: { total, noCache: Math.max(0, total - cacheRead - cacheWrite), cacheRead, cacheWrite },
    outputTokens: { total: output, text: Math.max(0, output - reasoning), reasoning },
  }
}

function messageTokens(message: LanguageModelV4Message): number {
  if (message.role === "system") return tokensOf(message.content.length)
  let tokens = 0
  for (const part of message.content) tokens += part.type === "file" ? tokensOfFile : tokensOf(sizeOf(part))
  return tokens
}

function sizeOf(part: { readonly type: string }): number {
  if ("text" in part && typeof part.text === "string") return part.text.length
  if ("output" in part) return JSON.stringify(part.output).length
  if ("input" in part) return JSON.stringify(part.input ?? null).length
  return 0
}
