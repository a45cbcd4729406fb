// The context of a service session: of each ended turn, only the visitor's text and the last text of the answer are
// kept, and only the newest of them, so that the context does not grow with the conversation.
import { limits } from "../../contract/limits.ts"
import type { AssistantItem, ContextItem, UserItem } from "../../contract/views/context.ts"

/** The items at the end of the turn that began after the given event. */
export function condensed(items: readonly ContextItem[], turnSeq: number): ContextItem[] {
  const earlier = items.filter(({ seq }) => seq <= turnSeq)
  const turn = items.filter(({ seq }) => seq > turnSeq)
  const prompts = turn.flatMap((item) => (item.kind === "user" ? [textOnly(item)] : []))
  const summaries = turn.filter((item) => item.kind === "summary")
  return newest([...earlier, ...summaries, ...prompts, ...finalAnswer(turn)])
}

/** Models refuse a message without text. */
function textOnly(item: UserItem): UserItem {
  const names = item.attachments.map(({ name }) => name).join(", ")
  return {
    ...item,
    attachments: [],
    passages: [],
    text: item.text.trim() === "" ? `(sent without words: ${names})` : item.text,
  }
}

function finalAnswer(turn: readonly ContextItem[]): readonly AssistantItem[] {
  for (const item of turn.toReversed()) {
    if (item.kind !== "assistant") continue
    const texts = item.parts.flatMap((part) => (part.kind === "text" ? [part.text] : []))
    const text = texts.join("\n\n")
    if (text.trim() !== "") return [{ ...item, parts: [{ kind: "text", text, cutOff: false }], results: {} }]
  }
  return []
}

/** Not every model accepts a conversation that begins with an answer. */
function newest(items: readonly ContextItem[]): ContextItem[] {
  const kept = items.slice(-limits.serviceMessages)
  const first = kept.findIndex((item) => item.kind !== "assistant")
  return kept.slice(Math.max(0, first))
}
