// How many answers a model has given in a conversation, as far as its prompt shows: one message each. A summary that
// stands for compacted messages says how many there were, so that the count goes on after a compaction.
import type { LanguageModelV4Message } from "@ai-sdk/provider"
import { textOf } from "./prompt.ts"

export function modelCalls(messages: readonly LanguageModelV4Message[]): number {
  const told = messages.filter((message) => message.role !== "assistant").map(textOf)
  const counted = told.flatMap((text) => [...text.matchAll(/^Model calls so far: (\d+)\.$/gm)])
  const before = Number(counted.at(-1)?.[1] ?? 0)
  return before + messages.filter(isAnswer).length
}

/** A compaction divides an answer that is too long for one request. */
function isAnswer(message: LanguageModelV4Message): boolean {
  return message.role === "assistant" && message.content.length > 0 && !textOf(message).startsWith("[continued] ")
}
