// How large a request is, roughly: enough to compact in time and to reserve a budget, not a tokenizer.
import type { LanguageModelV4CallOptions } from "@ai-sdk/provider"

const charactersPerToken = 3.5

/** A picture or a document costs about this much, whatever the size of its bytes. */
const tokensPerFile = 2000

type Sized = Pick<LanguageModelV4CallOptions, "prompt" | "tools">

/** Most requests have no files, and to look for them member by member takes many times as long. */
export function estimatedTokens(options: Sized): number {
  return hasFiles(options) ? withFiles(options) : tokensIn(JSON.stringify([options.prompt, options.tools]))
}

function hasFiles({ prompt }: Sized): boolean {
  return prompt.some(({ content }) => typeof content !== "string" && content.some(({ type }) => type === "file"))
}

function withFiles({ prompt, tools }: Sized): number {
  let files = 0
  const text = JSON.stringify([prompt, tools], (key, value: unknown) => {
    if (key !== "data" || typeof value !== "string") return value
    files += 1
    return undefined
  })
  return tokensIn(text) + files * tokensPerFile
}

function tokensIn(text: string): number {
  return Math.ceil(text.length / charactersPerToken)
}
