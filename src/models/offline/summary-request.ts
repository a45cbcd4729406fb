// Whether a prompt asks for a summary of its own conversation. A person says so plainly in the newest message. A
// compaction offers no tools, and then looser words will do, also in the instructions.
import type { LanguageModelV4CallOptions, LanguageModelV4Message } from "@ai-sdk/provider"
import { textOf } from "./prompt.ts"

const wish =
  /(?:^|[.!?:\n]\s*|\bplease |\b(?:can|could) you )(?:now )?(?:summari[sz]e|(?:write|create|give|make|produce|provide)(?: me| us)? (?:an? |the )?(?:\w+,? ){0,4}summary of)\b[^.\n]{0,80}\b(?:conversation|session|discussion|chat|history|dialogue|so far)\b/i
const looseWish = /\bsummar(?:y|i[sz]e|i[sz]ing)\b/i
const subject = /\b(?:conversation|session|discussion|chat|history|dialogue|messages|transcript|so far|above)\b/i
/** The wish stands at one end of a message; what lies between may be anything. */
const searched = 1000

/** The conversation to summarise, or nothing when that is not what is asked for. */
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
  return wish.test(text)
}

function asksLoosely(text: string): boolean {
  return looseWish.test(text) && subject.test(text)
}

function ends(text: string): string {
  return text.length <= 2 * searched ? text : `${text.slice(0, searched)}\n${text.slice(-searched)}`
}
