// Splits text into search terms: lower case, no accents, no stop words, English endings stemmed. Scripts without spaces
// become character pairs. Index and queries use the same function.
const MAX_TERM_LENGTH = 40
const CACHE_SIZE = 100_000

const cache = new Map<string, string>()

export function termsOf(text: string): readonly string[] {
  return /[^\0-\x7f]/.test(text) ? otherTerms(text) : plainTerms(text.toLowerCase().match(/[a-z0-9]+/g) ?? [])
}

function plainTerms(words: readonly string[]): string[] {
  const terms: string[] = []
  for (const word of words) {
    const term = cache.get(word) ?? remember(word)
    if (term !== "") terms.push(term)
  }
  return terms
}

/** Non-ASCII text takes the slower path. */
function otherTerms(text: string): string[] {
  const words =
    withoutAccents(text)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  return words.flatMap((word) => (unspaced.test(word) ? pairs(word) : plainTerms([word])))
}

/** For document names: without file extension and URL scheme. */
export function nameTerms(name: string): readonly string[] {
  return termsOf(name.replace(/^https?:\/\//i, "").replace(/\.[a-z]{1,8}$/i, ""))
}

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

function remember(word: string): string {
  if (cache.size >= CACHE_SIZE) cache.clear()
  const term = stopWords.has(word) ? "" : stem(word.slice(0, MAX_TERM_LENGTH))
  cache.set(word, term)
  return term
}

function withoutAccents(text: string): string {
  return text
    .normalize("NFD")
    .replaceAll(/\p{M}+/gu, "")
    .normalize("NFC")
}

function pairs(word: string): readonly string[] {
  const characters = Array.from(word)
  if (characters.length === 1) return characters
  return characters.slice(1).map((character, index) => `${characters[index] ?? ""}${character}`)
}

/** Strips plurals, -ing, -ed, -ly and a silent e. The stem need not be a word. */
function stem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word
  return withoutLastE(withoutVerbEnding(withoutPlural(word)).replace(/(?<=.{3})ly$/, ""))
}

function withoutPlural(word: string): string {
  if (word.endsWith("ies") && word.length > 4) return `${word.slice(0, -3)}y`
  if (/(?:ss|sh|ch|x|z)es$/.test(word)) return word.slice(0, -2)
  return /[^siu]s$/.test(word) ? word.slice(0, -1) : word
}

function withoutVerbEnding(word: string): string {
  const rest = word.replace(/(?:ing|ed)$/, "")
  if (rest === word || rest.length < 3 || !/[aeiouy]/.test(rest)) return word
  return /([^aeiouylsz])\1$/.test(rest) ? rest.slice(0, -1) : rest
}

function withoutLastE(word: string): string {
  return word.length > 3 && word.endsWith("e") ? word.slice(0, -1) : word
}

const stopWords: ReadonlySet<string> = new Set(
  `a about after all also am an and any are as at be been before being but by can could did do does doing for from had has
  have having he her here hers him his how i if in into is it its just like many may me might more most much my no nor not now of on
  or our out over own please s shall she should so some such t than that the their them then there these they this those
  to too under up us very was we were what when where which while who whom why will with would you your yours
  d ll m re ve hello hey hi okay ok thank thanks yes`.split(/\s+/),
)
