// What the model of a session of the network door remembers: of each turn that has ended the words of the visitor and
// the last words of the answer, and of those the newest few. Tools, thoughts, files and documents of earlier turns are not kept, so
// that a conversation can go on for ever without growing. The running turn is left as it is.
import { limits } from "../contract/limits.ts"
import type { AssistantItem, ContextItem, UserItem } from "../contract/views/context.ts"

/** The items when a turn ends that began after the given event. */
export function condensed(items: readonly ContextItem[], turnSeq: number): ContextItem[] {
  const earlier = items.filter(({ seq }) => seq <= turnSeq)
  const turn = items.filter(({ seq }) => seq > turnSeq)
  const asked = turn.flatMap((item) => (item.kind === "user" ? [inWords(item)] : []))
  const summaries = turn.filter((item) => item.kind === "summary")
  return newest([...earlier, ...summaries, ...asked, ...lastWords(turn)])
}

/** No model takes a message without a word. */
function inWords(item: UserItem): UserItem {
  const names = item.attachments.map(({ name }) => name).join(", ")
  return {
    ...item,
    attachments: [],
    passages: [],
    text: item.text.trim() === "" ? `(sent without words: ${names})` : item.text,
  }
}

function lastWords(turn: readonly ContextItem[]): readonly AssistantItem[] {
  for (const item of turn.toReversed()) {
    if (item.kind !== "assistant") continue
    const texts = item.parts.flatMap((part) => (part.kind === "text" ? [part.text] : []))
    const text = texts.join("\n\n")
    if (text.trim() !== "") return [{ ...item, parts: [{ kind: "text", text, cutOff: false }], results: {} }]
  }
  return []
}

/** A conversation does not begin with an answer: not every model takes that. */
function newest(items: readonly ContextItem[]): ContextItem[] {
  const kept = items.slice(-limits.serviceMessages)
  const first = kept.findIndex((item) => item.kind !== "assistant")
  return kept.slice(Math.max(0, first))
}
