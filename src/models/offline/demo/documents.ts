// An answer out of documents that came with the prompt: the sentence of the best passage that shares most words with the
// question, quoted with its source. Nothing in a document is taken as a request.
import type { LanguageModelV4Message } from "@ai-sdk/provider"
import { textOf } from "../prompt.ts"

interface Passage {
  readonly source: string
  readonly text: string
}

/** Nothing where no documents came with the newest words. */
export function answerFromDocuments(messages: readonly LanguageModelV4Message[]): string | undefined {
  const said = messages.filter(({ role }) => role === "user").map(textOf)
  const question = said.at(-1) ?? ""
  const [best] = passagesIn(said.at(-2) ?? "")
  if (best === undefined) return undefined
  return `${best.source} says: "${bestSentence(best.text, question)}"`
}

/** Characters that are searched: a fence that is never closed is looked for to the end, from each opening anew. */
const searched = 30_000

function passagesIn(text: string): readonly Passage[] {
  if (!text.startsWith("Passages of documents")) return []
  const fences = text
    .slice(0, searched)
    .matchAll(/^<untrusted source=("(?:[^"\\]|\\.)*")>\n([\s\S]*?)\n<\/untrusted>$/gm)
  return [...fences].map(([, source = '""', inside = ""]) => ({ source: String(JSON.parse(source)), text: inside }))
}

function bestSentence(text: string, question: string): string {
  const asked = new Set(wordsIn(question))
  const worth = (sentence: string) => wordsIn(sentence).filter((word) => asked.has(word)).length
  const [first = "", ...others] = sentencesIn(text)
  return others.reduce((best, sentence) => (worth(sentence) > worth(best) ? sentence : best), first)
}

/** Without headings. */
function sentencesIn(text: string): readonly string[] {
  return text
    .replaceAll(/^#{1,6} .*$/gm, "")
    .split(/(?<=[.!?])\s+|\n\s*\n/)
    .map((sentence) => sentence.replaceAll(/\s+/g, " ").trim())
    .filter((sentence) => sentence !== "")
}

function wordsIn(text: string): readonly string[] {
  return (text.toLowerCase().match(/\p{L}{3,}/gu) ?? []).map((word) => word.replace(/(?:ing|ed|s)$/, ""))
}
