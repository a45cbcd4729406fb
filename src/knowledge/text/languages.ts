// Languages with their own stemming and stop words. The language of a text is the one whose stop words it has most of;
// texts in other languages are treated as English, whose rules change few words of other languages.
import { stemmer as stemFrench } from "@orama/stemmers/french"
import { stemmer as stemGerman } from "@orama/stemmers/german"
import { stemmer as stemSpanish } from "@orama/stemmers/spanish"
import stemEnglish from "wink-porter2-stemmer"

export type Language = "en" | "de" | "fr" | "es"

export const languages: readonly Language[] = ["en", "de", "fr", "es"]

export function isLanguage(value: unknown): value is Language {
  return languages.some((language) => language === value)
}

const stemmers: Readonly<Record<Language, (word: string) => string>> = {
  en: stemEnglish,
  de: stemGerman,
  fr: stemFrench,
  es: stemSpanish,
}

/** Shorter words have no ending. */
const MIN_STEMMED = 3
const CACHE_SIZE = 100_000
const caches: Readonly<Record<Language, Map<string, string>>> = {
  en: new Map(),
  de: new Map(),
  fr: new Map(),
  es: new Map(),
}

/** Of a lower-case word. The stem has no accents and need not be a word. */
export function stemOf(word: string, language: Language): string {
  const cache = caches[language]
  const known = cache.get(word)
  if (known !== undefined) return known
  if (cache.size >= CACHE_SIZE) cache.clear()
  const stem = word.length < MIN_STEMMED || /\d/.test(word) ? word : stemmers[language](word) || word
  const folded = withoutAccents(stem)
  cache.set(word, folded)
  return folded
}

export function withoutAccents(text: string): string {
  if (!/[^\0-\x7f]/.test(text)) return text
  return text
    .replaceAll("ß", "ss")
    .normalize("NFD")
    .replaceAll(/\p{M}+/gu, "")
    .normalize("NFC")
}

export function isStopWord(word: string, language: Language): boolean {
  return stopWords[language].has(word)
}

export interface LanguageOptions {
  readonly among?: readonly Language[]
  /** Share of the words that must be stop words of a language, else it is English. */
  readonly minShare?: number
}

/** Of lower-case words. English if no other language has more stop words among them. */
export function languageOf(
  words: readonly string[],
  { among = languages, minShare = 0 }: LanguageOptions = {},
): Language {
  const fallback = among.includes("en") ? "en" : (among[0] ?? "en")
  let best = { language: fallback, count: countStopWords(words, fallback) }
  for (const language of among) {
    const count = countStopWords(words, language)
    if (count > best.count && count >= words.length * minShare) best = { language, count }
  }
  return best.language
}

/** Single letters occur in lists and code of every language. */
function countStopWords(words: readonly string[], language: Language): number {
  return words.reduce((sum, word) => sum + (word.length > 1 && stopWords[language].has(word) ? 1 : 0), 0)
}

/** Words of greetings and thanks, in any language: no document is looked up for them. */
export function isSmallTalk(word: string): boolean {
  return smallTalk.has(word)
}

/** Words that ask for nothing on their own, as in "Can you help me?" and "Have a nice day": a prompt of only these is no question. */
export function isCourtesy(word: string): boolean {
  return courtesies.has(word)
}

function setOf(words: string): ReadonlySet<string> {
  return new Set(words.split(/\s+/).filter((word) => word !== ""))
}

const stopWords: Readonly<Record<Language, ReadonlySet<string>>> = {
  en: setOf(`a about after all also am an and any are as at be because been before being both but by can cannot could did
    do does doing don during each for from further had has have having he her here hers herself him himself his how i if
    in into is isn it its itself just let ll m may me might more most much must my myself no nor not now of off on once
    only or other ought our ours out over own please re s same shall she should so some such t than that the their
    theirs them then there these they this those through to too under until up us ve very was we were what when where
    which while who whom why will with without would you your yours`),
  de: setOf(`aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bin bis bist da damit
    dann das dass dein deine dem den denn der des dessen die dies diese diesem diesen dieser dieses doch dort du durch
    ein eine einem einen einer eines er es etwas euch euer für gegen gewesen hab habe haben hat hatte hatten hier hin
    hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in indem ins ist ja jede jedem jeden jeder jedes kann kein
    keine können könnte man manche mein meine mich mir mit muss müssen nach nicht nichts noch nun nur ob oder ohne sehr
    sein seine sich sie sind so soll sollen sollte sondern sonst über um und uns unser unter vom von vor war waren was
    weg weil welche welcher welches wenn wer werde werden wie wieder will wir wird wo wollen würde würden zu zum zur
    zwar zwischen`),
  fr: setOf(`a à ai aie ainsi alors as au aucun aussi autre aux avait avec avez avoir avons c car ce ceci cela celle celui
    ces cet cette ceux chaque ci comme comment d dans de des donc dont du elle elles en encore entre es est et était
    êtes être eu eux fait faire faut il ils j je l la le les leur leurs lors lui m ma mais me même mes moi mon n ne ni
    nos notre nous on ont ou où par parce pas pendant peu peut peux plus pour pourquoi puis qu quand que quel quelle
    quelles quels qui quoi s sa sans se sera ses si son sont sous suis sur t ta te tes toi ton tous tout toute toutes
    très tu un une vos votre vous y`),
  es: setOf(`a al algo algunas alguno algunos ante antes aquel aquella así aunque bajo cada como cómo con contra cual cuál
    cuando cuándo de del desde donde dónde durante e el él ella ellas ellos en entre era es esa ese eso esta está están
    este esto estos fue ha había hace hacer hacia han hasta hay he la las le les lo los más me mi mis mucho muy nada ni
    no nos nosotros o os otra otro para pero poco por porque puede puedo que qué quien quién se sea ser si sí sido sin
    sobre son soy su sus también tan tanto te tengo tiene todo todos tu tus u un una unas uno unos usted y ya yo`),
}

const smallTalk =
  setOf(`hello hey hi bye goodbye thanks thank okay ok yes yeah yep nope cool great nice welcome cheers sorry
  hallo danke tschüss bitte moin servus bonjour salut merci hola gracias adiós bonsoir`)

const courtesies =
  setOf(`hello hey hi bye goodbye thanks thank okay ok yes yeah nice great good fine well very lot help meet
  morning evening afternoon night day today tomorrow weekend later soon see going doing there much appreciate perfect awesome
  gut guten schön schönen morgen abend tag nacht heute hilfe helfen geht vielen dank wochenende bald klar kannst mir dir super prima
  bon bonne bien beaucoup journée soirée nuit matin aide aider aidez va ça demain bientôt peux pouvez me super parfait
  buenos buenas bien días tardes noches día mucho muchas ayuda ayudar ayudarme mañana luego estás puedes pueden me perfecto genial`)
