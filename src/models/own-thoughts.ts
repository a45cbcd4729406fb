// Leaves out the thoughts that another provider has signed: no other can read them, and some refuse the request.
import type { LanguageModelV4, LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider"

type Assistant = Extract<LanguageModelV4Message, { role: "assistant" }>

export function withOwnThoughts(
  model: Pick<LanguageModelV4, "provider">,
  prompt: LanguageModelV4Prompt,
): LanguageModelV4Prompt {
  const own = spelling(model.provider)
  return prompt.flatMap((message) => (message.role === "assistant" ? ownParts(message, own) : [message]))
}

function ownParts(message: Assistant, own: string): readonly LanguageModelV4Message[] {
  const content = message.content.filter((part) => part.type !== "reasoning" || isOwn(part.providerOptions, own))
  if (content.length === message.content.length) return [message]
  return content.length === 0 ? [] : [{ ...message, content }]
}

/** Servers with OpenAI's format do not sign. */
function isOwn(signed: Readonly<Record<string, unknown>> | undefined, own: string): boolean {
  const by = Object.keys(signed ?? {}).map(spelling)
  return by.length === 0 || by.some((key) => own.includes(key))
}

/** `amazon-bedrock`, `amazonBedrock` and `bedrock` are the same. */
function spelling(provider: string): string {
  return provider.replaceAll("-", "").toLowerCase()
}

/** A provider that demands signed thoughts before a call refuses the calls of a model that had none. */
export function callsWithoutThoughts(prompt: LanguageModelV4Prompt): boolean {
  if (prompt.at(-1)?.role !== "tool") return false
  const calling = prompt.findLast((message) => message.role === "assistant")
  return calling?.role === "assistant" && calling.content[0]?.type !== "reasoning"
}
