// The conversation as plain text messages, for the request that summarises it. Tool calls and their outputs are text
// here: several providers refuse them in a request that offers no tools. Pure.
import { attachedText, resultText, summaryText, userText, fenced } from "../prompt/prompt-messages.ts"
import { textTokens } from "../prompt/token-estimate.ts"
import type { AssistantItem, AssistantPart, ContextItem, UserItem } from "../../contract/views/context.ts"

export interface TextMessage {
  readonly role: "user" | "assistant"
  readonly text: string
}

/** Items without text have no message. */
export function conversationText(items: readonly ContextItem[]): readonly TextMessage[] {
  return items.flatMap((item) => [messageOf(item), noteMessage(item)]).filter(({ text }) => text !== "")
}

/** The messages in groups of at most so many tokens, in order and complete: a message that is too long is divided. */
export function inChunks(messages: readonly TextMessage[], tokens: number): readonly (readonly TextMessage[])[] {
  const chunks: TextMessage[][] = []
  let remaining = 0
  for (const message of messages.flatMap((whole) => splitMessage(whole, tokens))) {
    const size = textTokens(message.text)
    const chunk = chunks.at(-1)
    if (chunk === undefined || size > remaining) {
      chunks.push([message])
      remaining = tokens - size
    } else {
      chunk.push(message)
      remaining -= size
    }
  }
  return chunks
}

function splitMessage({ role, text }: TextMessage, tokens: number): readonly TextMessage[] {
  const [first = "", ...others] = pieces(text, tokens)
  return [{ role, text: first }, ...others.map((piece) => ({ role, text: `[continued] ${piece}` }))]
}

function pieces(text: string, tokens: number): readonly string[] {
  if (textTokens(text) <= tokens) return [text]
  const middle = halfOf(text)
  return [...pieces(text.slice(0, middle), tokens), ...pieces(text.slice(middle), tokens)]
}

/** Never between the two halves of one character. */
function halfOf(text: string): number {
  const middle = Math.ceil(text.length / 2)
  const unit = text.charCodeAt(middle)
  return unit >= 0xdc00 && unit <= 0xdfff ? middle + 1 : middle
}

function messageOf(item: ContextItem): TextMessage {
  switch (item.kind) {
    case "user":
      return { role: "user", text: promptText(item) }
    case "summary":
      return { role: "user", text: summaryText(item) }
    case "assistant":
      return { role: "assistant", text: item.parts.map((part) => partText(item, part)).join("\n") }
  }
}

/** What happened in the session since, such as the end of a background shell. */
function noteMessage({ notes = [] }: ContextItem): TextMessage {
  return { role: "user", text: notes.join("\n") }
}

function promptText(item: UserItem): string {
  const documents = (item.passages ?? []).map(({ title, text }) => fenced(title, text))
  const files = item.attachments.map(
    (attachment) => attachedText(attachment) ?? `[attached file: ${attachment.name}, ${attachment.mediaType}]`,
  )
  return [...documents, userText(item), ...files].filter((text) => text !== "").join("\n")
}

function partText({ results }: AssistantItem, part: AssistantPart): string {
  if (part.kind === "text") return part.text
  if (part.kind === "reasoning") return part.text === "" ? "" : `[reasoning] ${part.text}`
  const result = results[part.callId]
  const callText = `[tool call] ${part.tool} ${JSON.stringify(part.input)}`
  if (result === undefined) return `${callText}\n[no result]`
  return `${callText}\n[${result.failed ? "failed" : "done"}] ${resultText(result)}`
}
