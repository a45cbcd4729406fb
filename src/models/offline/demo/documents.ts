// An answer from documents in the prompt: quotes the sentence of the best passage that shares most words with the
// question, with its source. Nothing in a document is a request.
import type { LanguageModelV4Message } from "@ai-sdk/provider"
import { textOf } from "../prompt.ts"

interface Passage {
  readonly source: string
  readonly text: string
}

/** Undefined without documents before the newest message. */
export function answerFromDocuments(messages: readonly LanguageModelV4Message[]): string | undefined {
  const userTexts = messages.filter(({ role }) => role === "user").map(textOf)
  const question = userTexts.at(-1) ?? ""
  const [best] = passagesIn(userTexts.at(-2) ?? "")
  if (best === undefined) return undefined
  return `${best.source} says: "${bestSentence(best.text, question)}"`
}

/** Characters searched. An unclosed fence is searched to the end from each opening tag, which is quadratic. */
const SEARCHED_LENGTH = 30_000

function passagesIn(text: string): readonly Passage[] {
  if (!text.startsWith("Passages of documents")) return []
  const fences = text
    .slice(0, SEARCHED_LENGTH)
    .matchAll(/^<untrusted source=("(?:[^"\\]|\\.)*")>\n([\s\S]*?)\n<\/untrusted>$/gm)
  return [...fences].map(([, source = '""', inside = ""]) => ({ source: String(JSON.parse(source)), text: inside }))
}

function bestSentence(text: string, question: string): string {
  const questionWords = new Set(wordsIn(question))
  const score = (sentence: string) => wordsIn(sentence).filter((word) => questionWords.has(word)).length
  const [first = "", ...rest] = sentencesIn(text)
  return rest.reduce((best, sentence) => (score(sentence) > score(best) ? sentence : best), first)
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
