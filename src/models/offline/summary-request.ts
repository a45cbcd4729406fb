// Detects whether a prompt asks for a summary of its conversation: explicitly in the newest message, or, if no tools are
// offered (as by a compaction), more loosely and also in the system prompt.
import type { LanguageModelV4CallOptions, LanguageModelV4Message } from "@ai-sdk/provider"
import { textOf } from "./prompt.ts"

const explicitRequest =
  /(?:^|[.!?:\n]\s*|\bplease |\b(?:can|could) you )(?:now )?(?:summari[sz]e|(?:write|create|give|make|produce|provide)(?: me| us)? (?:an? |the )?(?:\w+,? ){0,4}summary of)\b[^.\n]{0,80}\b(?:conversation|session|discussion|chat|history|dialogue|so far)\b/i
const looseRequest = /\bsummar(?:y|i[sz]e|i[sz]ing)\b/i
const subject = /\b(?:conversation|session|discussion|chat|history|dialogue|messages|transcript|so far|above)\b/i
/** Characters searched at each end of a message. */
const SEARCHED_LENGTH = 1000

/** The conversation to summarise, or undefined if no summary is requested. */
export function conversationToSummarise(
  prompt: readonly LanguageModelV4Message[],
  { tools = [] }: Pick<LanguageModelV4CallOptions, "tools">,
): readonly LanguageModelV4Message[] | undefined {
  const conversation = prompt.filter((message) => message.role !== "system")
  const newest = conversation.at(-1)
  if (newest?.role === "user" && (tools.length === 0 ? asksLoosely : asksPlainly)(ends(textOf(newest)))) {
    return conversation.length === 1 ? conversation : conversation.slice(0, -1)
  }
  const instructed = prompt.some((message) => message.role === "system" && asksPlainly(ends(message.content)))
  return tools.length === 0 && instructed ? conversation : undefined
}

function asksPlainly(text: string): boolean {
  return explicitRequest.test(text)
}

function asksLoosely(text: string): boolean {
  return looseRequest.test(text) && subject.test(text)
}

function ends(text: string): string {
  return text.length <= 2 * SEARCHED_LENGTH
    ? text
    : `${text.slice(0, SEARCHED_LENGTH)}\n${text.slice(-SEARCHED_LENGTH)}`
}
