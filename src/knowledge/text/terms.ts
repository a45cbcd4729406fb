// Splits text into search terms. Words are lower-case and stemmed in the language of the text, without accents. An
// identifier counts as a whole and in its parts: `ThreadPool`, `max_connections`, `os.path`, `force-with-lease`. Scripts
// without spaces become pairs of characters. Index and queries use the same function.
import { partsAtJoint } from "./compounds.ts"
import { isSmallTalk, isStopWord, languageOf, stemOf, withoutAccents, type Language } from "./languages.ts"

const MAX_TERM_LENGTH = 60

/** A word with inner connectors. Letters and connectors are disjoint, so matching is linear. */
const asciiTokens = /[a-z0-9]+(?:(?:[_.-]|::)[a-z0-9]+)*/gi
const tokens = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:(?:[_.-]|::)[\p{L}\p{N}][\p{L}\p{N}\p{M}]*)*/gu

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u

export function termsOf(text: string, language: Language): readonly string[] {
  const terms: string[] = []
  for (const token of tokensOf(text)) for (const term of termsOfToken(token, language)) terms.push(term)
  return terms
}

/** Of the most recent tokens of a language: most of a text are a few thousand. */
const CACHED_TOKENS = 30_000
const cache = new Map<Language, Map<string, readonly string[]>>()

function termsOfToken(token: string, language: Language): readonly string[] {
  const known = cache.get(language) ?? new Map<string, readonly string[]>()
  cache.set(language, known)
  const found = known.get(token)
  if (found !== undefined) return found
  const all: string[] = []
  addTerms(all, token, (word) => all.push(...stemsOf(word, language)))
  const terms = all.map(cut).filter((term) => term !== "") // a stem may be longer than its word: ß becomes ss
  if (known.size >= CACHED_TOKENS) known.clear()
  if (token.length <= MAX_TERM_LENGTH) known.set(token, terms)
  return terms
}

/** Of a word, and of the parts of a compound that shows its joint. */
function stemsOf(word: string, language: Language): readonly string[] {
  const parts = language === "de" ? partsAtJoint(word) : undefined
  const stem = stemOf(word, language)
  return parts === undefined ? [stem] : [stem, ...parts.map((part) => stemOf(part, language))]
}

/** A word of a question, and the terms that it can be in documents. */
export interface QueryWord {
  /** Lower-case. */
  readonly text: string
  /** Of each language of the documents, the best guess first. */
  readonly terms: readonly string[]
  readonly isStopWord: boolean
  /** A whole identifier, whose parts are words of the question too. */
  readonly isWhole: boolean
}

export function queryWords(text: string, among: readonly Language[]): readonly QueryWord[] {
  const language = languageOf(wordsOf(text), { among })
  const words = new Map<string, QueryWord>()
  const add = (word: string, terms: readonly string[], flags: Pick<QueryWord, "isStopWord" | "isWhole">) => {
    const [first = ""] = terms
    if (!words.has(first)) words.set(first, { text: word, terms: [...new Set(terms)], ...flags })
  }
  for (const token of tokensOf(text)) {
    const wholes: string[] = []
    addTerms(wholes, token, (word) => {
      const stems = [language, ...among].map((one) => stemOf(word, one))
      add(word, stems, { isStopWord: isStopWord(word, language) || isSmallTalk(word), isWhole: false })
    })
    for (const identifier of wholes) add(identifier, [identifier], { isStopWord: false, isWhole: true })
  }
  return [...words.values()]
}

/** Lower-case words, for guessing the language of a text. */
export function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/\p{L}+/gu) ?? []
}

/** For document names: without file extension and URL scheme. */
export function nameTerms(name: string, language: Language): readonly string[] {
  return termsOf(name.replace(/^https?:\/\//i, "").replace(/\.[a-z]{1,8}$/i, ""), language)
}

function tokensOf(text: string): readonly string[] {
  return text.match(/[^\0-\x7f]/.test(text) ? tokens : asciiTokens) ?? []
}

/** Words go to `take`; wholes of identifiers and pairs of characters, which have no endings, to `terms`. */
function addTerms(terms: string[], token: string, take: (word: string) => void): void {
  const parts = token.split(/[_.:-]+/)
  let words = 0
  for (const part of parts) {
    if (unspaced.test(part)) {
      terms.push(...pairs(part))
      continue
    }
    const pieces = camelPieces(part)
    words += pieces.length
    for (const piece of pieces) take(cut(piece.toLowerCase()))
    if (pieces.length > 1 && parts.length > 1) terms.push(whole(part))
  }
  if (words > 1) terms.push(whole(token))
}

function whole(token: string): string {
  return cut(withoutAccents(token.toLowerCase().replaceAll("::", ".")))
}

/** Never between the two halves of a character. */
function cut(term: string): string {
  if (term.length <= MAX_TERM_LENGTH) return term
  const isHalf = /[\ud800-\udbff]/.test(term.charAt(MAX_TERM_LENGTH - 1))
  return term.slice(0, isHalf ? MAX_TERM_LENGTH - 1 : MAX_TERM_LENGTH)
}

/** `ThreadPoolExecutor`, `parseHTML`: at a change of case. */
function camelPieces(word: string): readonly string[] {
  if (!/\p{Ll}\p{Lu}/u.test(word)) return [word]
  return word.split(/(?<=\p{Ll}|\p{N})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u)
}

function pairs(word: string): readonly string[] {
  const normal = Array.from(word.normalize("NFKC").toLowerCase())
  const characters = normal.filter((character) => /[\p{L}\p{N}\p{M}]/u.test(character)) // `🄁` is normalized to `0,`
  if (characters.length === 1) return characters
  return characters.slice(1).map((character, index) => `${characters[index] ?? ""}${character}`)
}
