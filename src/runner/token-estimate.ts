// How large a request is, roughly: enough to compact in time and to reserve a budget, not a tokenizer.
import type { LanguageModelV4CallOptions } from "@ai-sdk/provider"

const charactersPerToken = 3.5

/** A picture or a document costs about this much, whatever the size of its bytes. */
const tokensPerFile = 2000

type Sized = Pick<LanguageModelV4CallOptions, "prompt" | "tools">

/** What was found of tools, which are the same in every request. */
const toolLengths = new WeakMap<object, number>()

/** Most requests have no files, and to look for them member by member takes many times as long. */
export function estimatedTokens(options: Sized): number {
  const { prompt, tools = [] } = options
  const toolsLength = tools.reduce((sum, tool) => sum + lengthOf(tool), 0)
  return hasFiles(options) ? withFiles(prompt, toolsLength) : tokensIn(JSON.stringify(prompt).length + toolsLength)
}

function lengthOf(tool: object): number {
  const known = toolLengths.get(tool)
  if (known !== undefined) return known
  const { length } = JSON.stringify(tool)
  toolLengths.set(tool, length)
  return length
}

function hasFiles({ prompt }: Sized): boolean {
  return prompt.some(({ content }) => typeof content !== "string" && content.some(({ type }) => type === "file"))
}

function withFiles(prompt: Sized["prompt"], toolsLength: number): number {
  let files = 0
  const text = JSON.stringify(prompt, (key, value: unknown) => {
    if (key !== "data" || typeof value !== "string") return value
    files += 1
    return undefined
  })
  return tokensIn(text.length + toolsLength) + files * tokensPerFile
}

function tokensIn(characters: number): number {
  return Math.ceil(characters / charactersPerToken)
}
