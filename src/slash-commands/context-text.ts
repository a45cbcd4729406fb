// The size of what the model gets next, as text.
import type { AssistantItem, ContextItem } from "../contract/views/context.ts"

/** A rough estimate: no model is asked for its own count. */
const CHARACTERS_PER_TOKEN = 4

export function contextText(items: readonly ContextItem[]): string {
  const prompts = items.filter((item) => item.kind === "user")
  const answers = items.filter((item) => item.kind === "assistant")
  const calls = answers.flatMap(({ parts }) => parts.filter(({ kind }) => kind === "call"))
  const attachments = prompts.flatMap((prompt) => prompt.attachments)
  const characters = items.reduce((sum, item) => sum + lengthOf(item), 0)
  const optional = [
    ["Attachments", attachments.length],
    ["Summaries", items.filter(({ kind }) => kind === "summary").length],
  ] as const
  return [
    `Prompts: ${prompts.length}`,
    `Answers: ${answers.length}`,
    `Tool calls: ${calls.length}`,
    ...optional.flatMap(([label, count]) => (count > 0 ? [`${label}: ${count}`] : [])),
    `Characters: ${characters}, about ${Math.ceil(characters / CHARACTERS_PER_TOKEN)} tokens`,
  ].join("\n")
}

function lengthOf(item: ContextItem): number {
  return item.kind === "assistant" ? answerLength(item) : item.text.length
}

function answerLength({ parts, results }: AssistantItem): number {
  const texts = parts.map((part) => (part.kind === "call" ? JSON.stringify(part.input) : part.text))
  const outputs = Object.values(results).map(({ output }) => output)
  return [...texts, ...outputs].reduce((sum, text) => sum + text.length, 0)
}
