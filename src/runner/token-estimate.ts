// How large a request is, roughly: enough to compact in time and to reserve a budget, not a tokenizer.
import type { LanguageModelV4CallOptions } from "@ai-sdk/provider"

const charactersPerToken = 3.5

/** A picture or a document costs about this much, whatever the size of its bytes. */
const tokensPerFile = 2000

export function estimatedTokens({ prompt, tools }: Pick<LanguageModelV4CallOptions, "prompt" | "tools">): number {
  let files = 0
  const text = JSON.stringify([prompt, tools], (key, value: unknown) => {
    if (key !== "data" || typeof value !== "string") return value
    files += 1
    return undefined
  })
  return Math.ceil(text.length / charactersPerToken) + files * tokensPerFile
}
