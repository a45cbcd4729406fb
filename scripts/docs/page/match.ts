// Finds the sections that contain all words of a query. Pure: it runs in the browser, and in tests.

export interface Section {
  /** Address of the page below the start page, with the anchor of the section. */
  readonly url: string
  readonly page: string
  /** Empty for the beginning of a page. */
  readonly heading: string
  readonly text: string
}

export interface Match {
  readonly section: Section
  /** Text around the first word, as parts: those of the query are marked. */
  readonly excerpt: readonly Part[]
}

export interface Part {
  readonly text: string
  readonly isMarked: boolean
}

const MAX_MATCHES = 30
const MAX_WORDS = 8
const EXCERPT = 160

/** Best first. Words are found inside of words as well: `approv` finds approvals. */
export function search(sections: readonly Section[], query: string): readonly Match[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, MAX_WORDS)
  if (words.length === 0) return []
  return sections
    .map((section) => ({ section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, MAX_MATCHES)
    .map(({ section }) => ({ section, excerpt: excerptOf(section.text, words) }))
}

/** 0 if a word is missing. */
function scoreOf({ url, page, heading, text }: Section, words: readonly string[]): number {
  const [title, name, body] = [page.toLowerCase(), heading.toLowerCase(), text.toLowerCase()]
  let score = isHistory(url) ? 0.5 : 1
  for (const word of words) {
    const found =
      40 * placeScore(name, word) + 30 * placeScore(title, word) * (name === "" ? 2 : 0.2) + placeScore(body, word)
    if (found === 0) return 0
    score *= found
  }
  return score
}

/** Older text, which describes how something came to be. */
function isHistory(url: string): boolean {
  return url.startsWith("decisions/") || url.startsWith("changelog")
}

/** A whole word counts more than a part of one. */
function placeScore(text: string, word: string): number {
  const at = text.indexOf(word)
  if (at < 0) return 0
  if (text === word) return 4
  return at === 0 || !/[\p{L}\p{N}]/u.test(text.charAt(at - 1)) ? 2 : 1
}

function excerptOf(text: string, words: readonly string[]): readonly Part[] {
  const lower = text.toLowerCase()
  const first = Math.min(...words.map((word) => lower.indexOf(word)).filter((at) => at >= 0))
  const from = Number.isFinite(first) ? Math.max(0, text.lastIndexOf(" ", Math.max(0, first - EXCERPT / 3))) : 0
  const shown = text.slice(from, from + EXCERPT).trim()
  const parts = markWords(shown, words)
  return [
    ...(from > 0 ? [{ text: "… ", isMarked: false }] : []),
    ...parts,
    ...(from + EXCERPT < text.length ? [{ text: " …", isMarked: false }] : []),
  ]
}

function markWords(text: string, words: readonly string[]): readonly Part[] {
  const lower = text.toLowerCase()
  const parts: Part[] = []
  let at = 0
  while (at < text.length) {
    const next = nextWord(lower, words, at)
    if (next === undefined) break
    if (next.at > at) parts.push({ text: text.slice(at, next.at), isMarked: false })
    at = next.at + next.word.length
    parts.push({ text: text.slice(next.at, at), isMarked: true })
  }
  return at < text.length ? [...parts, { text: text.slice(at), isMarked: false }] : parts
}

function nextWord(text: string, words: readonly string[], from: number): { word: string; at: number } | undefined {
  return words
    .map((word) => ({ word, at: text.indexOf(word, from) }))
    .filter(({ at }) => at >= 0)
    .toSorted((one, other) => one.at - other.at || other.word.length - one.word.length)[0]
}
