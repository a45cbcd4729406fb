// Facts of a sentence: its numbers with what stands beside them, and its words. A passage supports a sentence if it has all
// of its numbers together with their neighbours, or, for a sentence without numbers, most of its words.
import type { Span } from "./normalised.ts"

export interface Word extends Span {
  /** Lower-case, without accents and common endings; a number in digits. */
  readonly term: string
  readonly isNumber: boolean
}

export interface Support extends Span {
  /** Number of the facts that are found. */
  readonly facts: number
}

/** How far from a number its neighbours may stand. */
const REACH = 4
/** Words that a sentence without numbers must share with the passage, besides those of the question. */
const MIN_NEW_WORDS = 2
const MIN_SHARE = 0.6

export function wordsIn(text: string): readonly Word[] {
  const words: Word[] = []
  for (const match of text.matchAll(/\p{N}+(?:[.,]\p{N}+)*|[\p{L}\p{M}]+/gu)) {
    const [found] = match
    for (const { piece, offset } of piecesOf(found)) {
      const term = termOf(piece)
      const start = match.index + offset
      if (!stopWords.has(term)) words.push({ term, isNumber: /^\p{N}/u.test(term), start, end: start + piece.length })
    }
  }
  return words
}

/** Undefined if the passage does not have the facts of the sentence. */
export function supportOf(
  sentence: readonly Word[],
  passage: readonly Word[],
  asked: ReadonlySet<string>,
): Support | undefined {
  const places = Map.groupBy(passage.keys(), (place) => passage[place]?.term ?? "")
  const numbers = sentence.filter(({ isNumber }) => isNumber)
  const matches = numbers.length > 0 ? numberMatches(sentence, passage, places) : wordMatches(sentence, places, asked)
  return matches === undefined ? undefined : spanOf(matches, passage)
}

type Places = ReadonlyMap<string, readonly number[]>

function numberMatches(sentence: readonly Word[], passage: readonly Word[], places: Places) {
  const found: number[] = []
  for (const [at, { term, isNumber }] of sentence.entries()) {
    if (!isNumber) continue
    const neighbours = neighboursOf(sentence, at)
    const place = (places.get(term) ?? []).find(
      (one) => neighbours.size === 0 || [...neighboursOf(passage, one)].some((other) => neighbours.has(other)),
    )
    if (place === undefined) return undefined
    found.push(place)
  }
  return found
}

function neighboursOf(words: readonly Word[], at: number): ReadonlySet<string> {
  const near = words.slice(Math.max(0, at - REACH), at + REACH + 1)
  return new Set(near.filter(({ isNumber }) => !isNumber).map(({ term }) => term))
}

function wordMatches(sentence: readonly Word[], places: Places, asked: ReadonlySet<string>) {
  const terms = [...new Set(sentence.map(({ term }) => term))]
  const found = terms.filter((term) => places.has(term))
  const isEnough = found.filter((term) => !asked.has(term)).length >= MIN_NEW_WORDS
  return isEnough && found.length >= terms.length * MIN_SHARE
    ? found.map((term) => places.get(term)?.[0] ?? 0)
    : undefined
}

function spanOf(matches: readonly number[], passage: readonly Word[]): Support {
  const words = matches.flatMap((place) => passage[place] ?? [])
  const start = Math.min(...words.map((word) => word.start))
  return { start, end: Math.max(...words.map((word) => word.end)), facts: matches.length }
}

/** Scripts without blanks: pairs of characters. */
function piecesOf(word: string): readonly { readonly piece: string; readonly offset: number }[] {
  if (!/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(word)) return [{ piece: word, offset: 0 }]
  return Array.from({ length: Math.max(1, word.length - 1) }, (_, offset) => ({
    piece: word.slice(offset, offset + 2),
    offset,
  }))
}

function termOf(word: string): string {
  const plain = word
    .toLowerCase()
    .normalize("NFKD")
    .replaceAll(/\p{M}+/gu, "")
  if (/^\p{N}/u.test(plain)) return plain.replaceAll(/[.,](?=\p{N}{3}(?!\p{N}))/gu, "").replaceAll(",", ".")
  const number = numberWords[plain]
  if (number !== undefined) return String(number)
  return plain.length > 4 ? plain.replace(/(?:ings?|ed|es|en|er|s|e|n)$/, "") : plain.replace(/(?<=...)[es]$/, "")
}

const numberWords: Readonly<Record<string, number>> = {
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
  fourteen: 14,
  fifteen: 15,
  twenty: 20,
  thirty: 30,
  forty: 40,
  fifty: 50,
  sixty: 60,
  ninety: 90,
  hundred: 100,
}

/** As terms: without their endings. */
const stopWords: ReadonlySet<string> = new Set(
  `a about after again all also always am an and any are as at be been before being best but by can cannot could did do does
  doe done down every find for from get give go great had has have he hello help her here hi him his how i if in into is it
  its just know let like made make may me might more most much must my need no not now of off ok on one only or other
  our out over pleas please she should so some sorry such sur sure tell than thank that the their them then ther there thes
  these they thi this those to too under until up us use very want was we were what when where which who why will with
  would yes you your der die das den dem ein eine und oder ist sind sie ich nicht mit für fur von auf zu im le la les un une
  des don giv hav her lik mak mor som wer et est pour dans sur el los las una de en que por con para es son`.split(
    /\s+/,
  ),
)
