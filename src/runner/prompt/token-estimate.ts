// Estimates the size of a request, well enough to compact in time and to reserve a budget.
import type { LanguageModelV4CallOptions } from "@ai-sdk/provider"

/** English text and code; other scripts take far more tokens per character. */
const ASCII_PER_TOKEN = 3.5
const TOKENS_PER_IDEOGRAPH = 1.1
/** Cyrillic, Greek, Arabic, Thai and the like. */
const TOKENS_PER_OTHER = 0.5

/** A picture or a document costs about this much, whatever the size of its bytes. */
export const TOKENS_PER_FILE = 2000

type Sized = Pick<LanguageModelV4CallOptions, "prompt" | "tools">

/** Estimates of tools, which are the same in every request. */
const toolTokens = new WeakMap<object, number>()

/** Most requests have no files, and looking for them in every field takes many times as long. */
export function estimatedTokens(options: Sized): number {
  const { prompt, tools = [] } = options
  const toolsTotal = tools.reduce((sum, tool) => sum + tokensOfTool(tool), 0)
  return toolsTotal + (hasFiles(options) ? withFiles(prompt) : textTokens(JSON.stringify(prompt)))
}

export function textTokens(text: string): number {
  if (!/[\u0080-\uFFFF]/.test(text)) return Math.ceil(text.length / ASCII_PER_TOKEN)
  let ascii = 0
  let ideographs = 0
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit < 0x80) ascii += 1
    else if (isIdeograph(unit)) ideographs += 1
  }
  const others = text.length - ascii - ideographs
  return Math.ceil(ascii / ASCII_PER_TOKEN + ideographs * TOKENS_PER_IDEOGRAPH + others * TOKENS_PER_OTHER)
}

/** Chinese, Japanese, Korean, full-width forms; and surrogates, which are mostly emoji and rare ideographs. */
function isIdeograph(unit: number): boolean {
  return (unit >= 0x2e80 && unit <= 0xdfff) || (unit >= 0xf900 && unit <= 0xfaff) || unit >= 0xff00
}

function tokensOfTool(tool: object): number {
  const known = toolTokens.get(tool)
  if (known !== undefined) return known
  const tokens = textTokens(JSON.stringify(tool))
  toolTokens.set(tool, tokens)
  return tokens
}

function hasFiles({ prompt }: Sized): boolean {
  return prompt.some(({ content }) => typeof content !== "string" && content.some((part) => isFile(part)))
}

function isFile(part: Exclude<Sized["prompt"][number]["content"], string>[number]): boolean {
  return part.type === "file" || (part.type === "tool-result" && part.output.type === "content")
}

function withFiles(prompt: Sized["prompt"]): number {
  let files = 0
  const text = JSON.stringify(prompt, (key, value: unknown) => {
    if (key !== "data" || typeof value !== "string") return value
    files += 1
    return undefined
  })
  return textTokens(text) + files * TOKENS_PER_FILE
}
