// Finds tools by words of their names and descriptions.
import type { FoundTool, Tool } from "./tool.ts"

type Named = Pick<Tool, "name" | "description">

/** A word in the name says more than one in the description. */
const NAME_WEIGHT = 4
const PART_WEIGHT = 2
const MAX_WORDS = 20
const MAX_DESCRIPTION = 300

/** The best first. A query that is the name of a tool finds it first. */
export function searchTools(tools: readonly Named[], query: string, limit: number): readonly FoundTool[] {
  const words = wordsOf(query).slice(0, MAX_WORDS)
  return tools
    .map((tool) => ({ tool, score: tool.name === query.trim() ? Infinity : scoreOf(tool, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, limit)
    .map(({ tool: { name, description } }) => ({ name, description: firstPart(description) }))
}

function scoreOf({ name, description }: Named, words: readonly string[]): number {
  const inName = new Set(wordsOf(name))
  const lowerName = name.toLowerCase()
  const inDescription = new Set(wordsOf(description))
  return words.reduce((score, word) => {
    if (inName.has(word)) return score + NAME_WEIGHT
    if (lowerName.includes(word)) return score + PART_WEIGHT
    return inDescription.has(word) ? score + 1 : score
  }, 0)
}

/** Also the parts of `camelCase` and `snake_case`; a plural finds its singular. */
function wordsOf(text: string): readonly string[] {
  const parts = text
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
  return parts
    .filter((word) => word.length > 1 || /\d/.test(word))
    .map((word) => (word.length > 3 ? word.replace(/s$/, "") : word))
}

function firstPart(description: string): string {
  const line = description.replaceAll(/\s+/g, " ").trim()
  return line.length > MAX_DESCRIPTION ? `${line.slice(0, MAX_DESCRIPTION).toWellFormed()}…` : line
}
