// Counts the answers of a model in its prompt. A summary states how many messages it replaces, so that the count
// continues after a compaction.
import type { LanguageModelV4Message } from "@ai-sdk/provider"
import { textOf } from "./prompt.ts"

export function modelCalls(messages: readonly LanguageModelV4Message[]): number {
  const told = messages.filter((message) => message.role !== "assistant").map(textOf)
  const counted = told.flatMap((text) => [...text.matchAll(/^Model calls so far: (\d+)\.$/gm)])
  const before = Number(counted.at(-1)?.[1] ?? 0)
  return before + messages.filter(isAnswer).length
}

/** A compaction splits an answer that is too long for one request. */
function isAnswer(message: LanguageModelV4Message): boolean {
  return message.role === "assistant" && message.content.length > 0 && !textOf(message).startsWith("[continued] ")
}
