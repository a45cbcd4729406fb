// What `it` and `the file` in a prompt refer to: recently named entities, and which of them a phrase means. The prompt is
// not changed; the model gets a hint beside it. Only unambiguous references are resolved. A pure fold of bounded size.
import type { EventOf, Recorded } from "../../contract/events.ts"
import type { Focus, References, Resolution } from "../../contract/views/session-snapshot.ts"
import { treeDoor } from "../../contract/rules/session-settings.ts"
import { entityOfCall, mentionsIn, type Entity, type EntityKind, type Mention } from "./entities.ts"
import { introducesEntity, opensText, phrasesIn, type Phrase } from "./phrases.ts"

export type { References } from "../../contract/views/session-snapshot.ts"

const MAX_FOCUS = 20
const MAX_SEEN = 500
const MAX_HINTS = 5
/** Characters of one text that are analysed. */
const MAX_ANALYSED_LENGTH = 5000
/** The best candidate must score this much more than the next. */
const margin = 0.15
const writtenBonus = 0.2
const MIN_SCORES = { pronoun: 0.5, definite: 0.3 } as const

export const noReferences: References = {
  focus: [],
  turn: 0,
  broughtUpMore: false,
  seen: [],
  found: 0,
  resolved: 0,
  last: undefined,
  newest: [],
  waiting: {},
  writing: {},
}

export function foldReferences(references: References, { event }: Recorded): References {
  switch (event.type) {
    case "prompt.admitted":
      return admitted(references, event)
    case "prompt.withdrawn":
      return { ...references, waiting: without(references.waiting, event.promptId) }
    case "prompt.promoted": {
      const text = references.waiting[event.promptId]
      const next = { ...references, newest: [], waiting: without(references.waiting, event.promptId) }
      return text === undefined ? next : resolveReferences(next, text)
    }
    case "tool.called":
      return called(references, event)
    case "tool.ended":
      return ended(references, event)
    case "turn.ended":
      return { ...references, writing: {} }
    case "context.cleared":
    case "context.rewound":
      return { ...references, focus: [], newest: [], broughtUpMore: false }
    default:
      return references // names nothing
  }
}

/** `it = src/a.ts` */
export function hintOf({ newest }: Pick<References, "newest">): string | undefined {
  return newest.length === 0 ? undefined : newest.map(({ words, entity }) => `${words} = ${entity}`).join("; ")
}

/** The share of references that were resolved. */
export function qualityOf({ found, resolved }: References): number {
  return found === 0 ? 1 : resolved / found
}

/** Prompts of agents and of untrusted sources are not analysed. */
function admitted(references: References, event: EventOf<"prompt.admitted">): References {
  if (event.untrustedSource !== undefined || event.by.door === treeDoor) return references
  const text = event.text.slice(0, MAX_ANALYSED_LENGTH)
  return { ...references, waiting: { ...references.waiting, [event.promptId]: text } }
}

function called(references: References, { callId, tool, input }: EventOf<"tool.called">): References {
  const entity = entityOfCall(tool, input)
  if (entity === undefined) return references
  const next = withFocus(references, { ...entity, turn: references.turn, isWritten: false })
  const isWriting = tool === "write" || tool === "edit"
  return isWriting ? { ...next, writing: { ...next.writing, [callId]: entity.name } } : next
}

function ended(references: References, { callId, outcome }: EventOf<"tool.ended">): References {
  const name = references.writing[callId]
  if (name === undefined || outcome !== "done") return references
  return withFocus(references, { kind: "file", name, turn: references.turn, isWritten: true })
}

/** In text order: entities are available to the references that follow them. */
function resolveReferences(before: References, text: string): References {
  const turn = before.turn + 1
  const mentions = mentionsIn(text)
  let current: References = { ...before, turn }
  let next = 0
  const found: Resolution[] = []
  const phrases = phrasesIn(text)
  for (const phrase of phrases) {
    for (; (mentions[next]?.start ?? Infinity) < phrase.start; next += 1) current = withMention(current, mentions[next])
    const entity = resolvePhrase(current, phrase, text)
    if (entity !== undefined) found.push({ words: phrase.words, entity })
  }
  for (; next < mentions.length; next += 1) current = withMention(current, mentions[next])
  const newest = unambiguous(found).slice(0, MAX_HINTS)
  return {
    ...current,
    broughtUpMore: introducesEntity(text),
    found: before.found + phrases.length,
    resolved: before.resolved + found.length,
    last: newest.at(-1) ?? before.last,
    newest,
  }
}

function resolvePhrase({ focus, turn, broughtUpMore }: References, phrase: Phrase, text: string): string | undefined {
  if (phrase.hasRival) return undefined
  const candidates = focus.filter(({ kind }) => phrase.kinds.includes(kind))
  if (!phrase.isPronoun) return likeliest(candidates, turn, MIN_SCORES.definite)
  const currentCandidates = candidates.filter((entry) => entry.turn === turn)
  if (currentCandidates.length > 0) return likeliest(currentCandidates, turn, MIN_SCORES.pronoun)
  if (!opensText(text, phrase)) return undefined
  return likeliest(
    broughtUpMore ? candidates.filter(({ isWritten }) => isWritten) : candidates,
    turn,
    MIN_SCORES.pronoun,
  )
}

function likeliest(candidates: readonly Focus[], turn: number, minScore: number): string | undefined {
  const scored = candidates.map((entry) => ({ name: entry.name, score: scoreOf(entry, turn) }))
  const [best, second] = scored.toSorted((one, other) => other.score - one.score)
  if (best === undefined || best.score < minScore) return undefined
  return best.score - (second?.score ?? 0) < margin ? undefined : best.name
}

function scoreOf({ turn: mentionedTurn, isWritten }: Focus, turn: number): number {
  const age = turn - mentionedTurn
  const recency = age === 0 ? 1 : age === 1 ? 0.6 : Math.max(0, 0.5 - 0.05 * age)
  return recency + (isWritten && age <= 1 ? writtenBonus : 0)
}

function withMention(references: References, mention: Mention | undefined): References {
  if (mention === undefined) return references
  const { kind, name } = mention
  return withFocus(references, { kind, name, turn: references.turn, isWritten: false })
}

/** Reading a file does not clear that it was written in this turn. */
function withFocus(references: References, entry: Focus): References {
  const isSame = ({ kind, name }: Entity) => kind === entry.kind && name === entry.name
  const isWritten = references.focus.some((other) => isSame(other) && other.isWritten && other.turn === entry.turn)
  const others = references.focus.filter((other) => !isSame(other))
  const focus = [...others, isWritten ? { ...entry, isWritten } : entry].slice(-MAX_FOCUS)
  const digest = digestOf(entry.kind, entry.name)
  const isNew = references.seen.length < MAX_SEEN && !references.seen.includes(digest)
  return { ...references, focus, seen: isNew ? [...references.seen, digest] : references.seen }
}

/** Drops phrases that were resolved to different entities. */
function unambiguous(found: readonly Resolution[]): readonly Resolution[] {
  const entities = Map.groupBy(found, ({ words }) => words)
  return [...entities.values()].flatMap(([first, ...more]) =>
    first !== undefined && more.every(({ entity }) => entity === first.entity) ? [first] : [],
  )
}

/** FNV-1a, 32 bits: for counting. */
function digestOf(kind: EntityKind, name: string): number {
  let hash = 0x811c9dc5
  for (const character of `${kind} ${name}`) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0
  return hash
}

function without<Value>(all: Readonly<Record<string, Value>>, key: string): Readonly<Record<string, Value>> {
  const { [key]: _, ...others } = all
  return others
}
