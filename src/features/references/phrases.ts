// Phrases that refer to a named entity: `the file`, `that function`, and `it` or `this` after a verb such as `fix`. Found by
// form; references.ts decides what they refer to. Text in code, in quotation marks or in quoted lines is ignored.
import { kindOfNoun, type EntityKind } from "./entities.ts"

export interface Phrase {
  /** As typed, in lower case. */
  readonly words: string
  readonly kinds: readonly EntityKind[]
  readonly start: number
  /** A pronoun without a noun: it refers to the current topic, not to the newest entity of a kind. */
  readonly isPronoun: boolean
  /** The text before it introduces something else that it may refer to. */
  readonly hasRival: boolean
}

const kindByNoun = new Map<string, EntityKind>([
  ...kindOfNoun,
  ["file", "file"],
  ["script", "file"],
  ["error", "error"],
  ["exception", "error"],
  ["command", "command"],
])
const nouns = [...kindByNoun.keys()].join("|")

const code: readonly EntityKind[] = ["file", "function", "type", "variable"]
const kindsOfVerb: readonly (readonly [verbs: string, kinds: readonly EntityKind[]])[] = [
  ["run rerun re-run execute repeat retry", ["command"]],
  ["open read view print format save move copy edit rewrite", ["file"]],
  ["explain show describe fix", [...code, "error"]],
  ["test refactor review check update change rename delete remove simplify improve document split revert", code],
]
const kindsByVerb = new Map(kindsOfVerb.flatMap(([verbs, kinds]) => verbs.split(" ").map((verb) => [verb, kinds])))

const definitePattern = new RegExp(`\\b(?:the|this|that)[ \\t](${nouns})\\b`, "gi")
const pronounPattern = new RegExp(`\\b(${[...kindsByVerb.keys()].join("|")})[ \\t](?:it|this|that)\\b`, "gi")
/** What may follow a phrase: otherwise it is specified further or is part of a longer name. */
const phraseEnd =
  /^(?:\s*$|\s*[.,;:!?)]|\s+(?:and|or|but|so|again|too|now|then|to|into|please|is|was|has|does|should|first|once|instead|because|before|after|until|as)\b)/i
const fillers =
  /^(?:(?:please|now|then|ok|okay|yes|no|and|also|just|next|great|good|thanks|thank you|perfect|so|can you|could you|would you|let's|go ahead and|first|again|well|i want you to|try to)[\s,.!:]*){0,6}$/i
/** Introduces something: `a bug`, `my login`, `the header`. */
const rival = new RegExp(
  `\\b(?:an?|another|some|any|each|every|my|our|your|their|its)\\s+\\w|\\bthe\\s+(?!(?:${nouns})\\b)\\w`,
  "i",
)
const LOOKBACK_LENGTH = 300

export function phrasesIn(text: string): readonly Phrase[] {
  const plain = withoutQuotes(text)
  const phrases = [...definitePhrases(plain), ...pronounPhrases(plain)]
  return phrases.toSorted((one, other) => one.start - other.start)
}

/** Whether a text introduces something besides the entities it names. */
export function introducesEntity(text: string): boolean {
  return /\b(?:an?|another|some)\s+\w/i.test(withoutQuotes(text))
}

function* definitePhrases(text: string): Generator<Phrase> {
  for (const { 0: words, 1: noun = "", index: start } of text.matchAll(definitePattern)) {
    if (!isPhraseEnd(text, start + words.length)) continue
    const introducedPattern = new RegExp(
      `\\b(?:an?|another|new|each|every|any|some)\\s+(?:\\w+\\s+){0,2}${noun}\\b`,
      "i",
    )
    const hasRival = introducedPattern.test(text.slice(Math.max(0, start - LOOKBACK_LENGTH), start))
    const kind = kindByNoun.get(noun.toLowerCase())
    yield { words: words.toLowerCase(), kinds: kind === undefined ? [] : [kind], start, isPronoun: false, hasRival }
  }
}

function* pronounPhrases(text: string): Generator<Phrase> {
  for (const { 0: words, 1: verb = "", index } of text.matchAll(pronounPattern)) {
    if (!isPhraseEnd(text, index + words.length)) continue
    const kinds = kindsByVerb.get(verb.toLowerCase()) ?? []
    const pronoun = words.slice(verb.length + 1).toLowerCase()
    const hasRival = rival.test(text.slice(Math.max(0, index - LOOKBACK_LENGTH), index))
    yield { words: pronoun, kinds, start: index, isPronoun: true, hasRival }
  }
}

/** Only filler words precede it. */
export function opensText(text: string, { start }: Phrase): boolean {
  return start <= 60 && fillers.test(text.slice(0, start).trim())
}

function isPhraseEnd(text: string, at: number): boolean {
  return phraseEnd.test(text.slice(at, at + 20))
}

/** The same text with quoted parts replaced by a character that matches nothing. */
function withoutQuotes(text: string): string {
  return text
    .split("```")
    .map((part, index) => (index % 2 === 1 ? blank(part) : part))
    .join("___")
    .replaceAll(/`[^`\n]{1,200}`|"[^"\n]{1,200}"|“[^”\n]{1,200}”/g, blank)
    .replaceAll(/^[ \t]{0,3}>.*$/gm, blank)
}

function blank(quoted: string): string {
  return "_".repeat(quoted.length)
}
