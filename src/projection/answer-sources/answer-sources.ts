// What an answer rests on: its quotations and claims, matched with the passages that the model was given in the turn. Runs
// once, when the answer is complete. A passage is not a source because it was found, but because the answer has its words.
import type { EventOf, SessionEvent } from "../../contract/events.ts"
import { readQuotedPassages } from "../../contract/text/quoted-passages.ts"
import { snippetAround, sentenceSpans } from "../../contract/text/sentences.ts"
import type { Citation } from "../../contract/values.ts"
import { supportOf, wordsIn, type Word } from "./claims.ts"
import { normalised, type Normalised, type Span } from "./normalised.ts"
import { findQuote, isLong, quotesIn, type Quote } from "./quotes.ts"

/** A source of a part of an answer; the snippet is a literal part of the passage around what was matched. */
export interface AnswerSource extends Citation {
  /** The supported part of the answer. */
  readonly answer: Span
  /** The part of the passage that supports it. */
  readonly source: Span
}

export interface AnswerSupport {
  /** In the order of the answer. */
  readonly sources: readonly AnswerSource[]
  /** Quotations that no passage, prompt or result of the turn contains. */
  readonly unsupported: readonly Quote[]
}

interface GivenPassage {
  readonly citation: Citation
  readonly text: string
}

/** Bounds of one turn. Later passages and sentences are not matched. */
const MAX_PASSAGES = 100
const MAX_SENTENCES = 200
const MAX_OTHER_LENGTH = 400_000

export class AnswerSources {
  #passages: GivenPassage[] = []
  /** What else the model may quote: the prompt and results of calls. */
  #others: string[] = []
  #othersLength = 0
  #question = ""

  add(event: SessionEvent): void {
    if (event.type === "context.retrieved") this.#addRetrieved(event)
    if (event.type === "tool.ended") this.#addResult(event)
  }

  /** The text of a prompt of the turn. */
  addPrompt(text: string): void {
    this.#question += `\n${text}`
    this.#addOther(text)
  }

  /** Forgets the turn. */
  clear(): void {
    this.#passages = []
    this.#others = []
    this.#othersLength = 0
    this.#question = ""
  }

  supportFor(answer: string): AnswerSupport {
    if (this.#passages.length === 0) return { sources: [], unsupported: [] }
    const passages = this.#passages.map((passage) => ({
      ...passage,
      plain: normalised(passage.text),
      words: wordsIn(passage.text),
    }))
    const quotes = quotesIn(answer)
    const quoted = quotes.flatMap((quote) => quotedSource(quote, passages) ?? [])
    const asked = new Set(wordsIn(this.#question).map(({ term }) => term))
    const claimed = sentenceSpans(answer)
      .slice(0, MAX_SENTENCES)
      .filter((sentence) => !quotes.some((quote) => overlaps(sentence, quote)))
      .flatMap((sentence) => claimedSource(answer, { sentence, asked }, passages) ?? [])
    let others: readonly Normalised[] | undefined
    const isKnown = ({ text }: Quote) =>
      (others ??= this.#others.map(normalised)).some((other) => findQuote(text, other) !== undefined)
    return {
      sources: [...quoted, ...claimed].toSorted((one, other) => one.answer.start - other.answer.start),
      unsupported: quotes.filter((quote) => quotedSource(quote, passages) === undefined && !isKnown(quote)),
    }
  }

  #addRetrieved({ passages }: EventOf<"context.retrieved">): void {
    for (const { text, ...citation } of passages) this.#addPassage({ citation, text })
  }

  /** The output is what the model got; it has the passages in the order of the citations. */
  #addResult({ output, citations = [] }: EventOf<"tool.ended">): void {
    const texts = citations.length === 0 ? [] : readQuotedPassages(output)
    for (const [index, citation] of citations.entries()) {
      const text = texts[index]?.text
      if (text !== undefined) this.#addPassage({ citation, text })
    }
    if (citations.length === 0) this.#addOther(output)
  }

  #addPassage(passage: GivenPassage): void {
    if (this.#passages.length < MAX_PASSAGES) this.#passages.push(passage)
  }

  #addOther(text: string): void {
    if (this.#othersLength >= MAX_OTHER_LENGTH) return
    const kept = text.slice(0, MAX_OTHER_LENGTH - this.#othersLength)
    this.#others.push(kept)
    this.#othersLength += kept.length
  }
}

interface ReadPassage extends GivenPassage {
  readonly plain: Normalised
  readonly words: readonly Word[]
}

function quotedSource(quote: Quote, passages: readonly ReadPassage[]): AnswerSource | undefined {
  for (const passage of passages) {
    const source = findQuote(quote.text, passage.plain)
    if (source !== undefined) return sourceOf(passage, { start: quote.start, end: quote.end }, source)
  }
  return undefined
}

interface Claim {
  readonly sentence: Span
  readonly asked: ReadonlySet<string>
}

/** The passage that has the sentence, else the one with most of its facts; of equal ones the first. */
function claimedSource(
  answer: string,
  { sentence, asked }: Claim,
  passages: readonly ReadPassage[],
): AnswerSource | undefined {
  const text = answer.slice(sentence.start, sentence.end)
  if (text.trimEnd().endsWith("?")) return undefined
  const literal = isLong(text) ? quotedSource({ text, ...sentence }, passages) : undefined
  if (literal !== undefined) return literal
  const words = wordsIn(text)
  const supports = passages.flatMap((passage) => {
    const support = supportOf(words, passage.words, asked)
    return support === undefined ? [] : [{ passage, support }]
  })
  const best = supports.reduce<(typeof supports)[number] | undefined>(
    (one, other) => (one === undefined || other.support.facts > one.support.facts ? other : one),
    undefined,
  )
  return best === undefined ? undefined : sourceOf(best.passage, sentence, best.support)
}

function sourceOf({ citation, text }: GivenPassage, answer: Span, { start, end }: Span): AnswerSource {
  return { ...citation, snippet: snippetAround(text, start), answer, source: { start, end } }
}

function overlaps(one: Span, other: Span): boolean {
  return one.start < other.end && other.start < one.end
}

/** One for each document, the first part that rests on it. */
export function citationsOf({ sources }: AnswerSupport, most: number): readonly Citation[] {
  const byDocument = new Map<string, Citation>()
  for (const { answer: _, source: __, ...citation } of sources) {
    if (!byDocument.has(citation.id) && byDocument.size < most) byDocument.set(citation.id, citation)
  }
  return [...byDocument.values()]
}

/** A sentence for people. Undefined if every quotation is supported. */
export function unsupportedNote({ unsupported }: AnswerSupport): string | undefined {
  if (unsupported.length === 0) return undefined
  const quotes = unsupported
    .slice(0, 3)
    .map(({ text }) => `“${text.length > 80 ? `${text.slice(0, 79).toWellFormed()}…` : text}”`)
  const more = unsupported.length > quotes.length ? ` and ${unsupported.length - quotes.length} more` : ""
  return `Note: not found in the documents used for this answer: ${quotes.join(", ")}${more}.`
}
