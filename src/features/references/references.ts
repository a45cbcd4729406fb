// What `it` and `the file` in a prompt refer to: recently named entities, and which of them a phrase means. The prompt is
// not changed; the model gets a hint beside it. Only unambiguous references are resolved. A pure fold of bounded size.
import type { EventOf, Recorded } from "../../contract/events.ts"
import type { Focus, References, Resolution } from "../../contract/views/session-snapshot.ts"
import { treeDoor } from "../../contract/rules/session-settings.ts"
import { entityOfCall, mentionsIn, type Entity, type EntityKind, type Mention } from "./entities.ts"
import { bringsUpMore, opensText, phrasesIn, type Phrase } from "./phrases.ts"

export type { References } from "../../contract/views/session-snapshot.ts"

const mostFocus = 20
const mostSeen = 500
const mostHints = 5
/** Characters of one text that are analysed. */
const lookedAt = 5000
/** The best candidate must score this much more than the next. */
const margin = 0.15
const writtenBonus = 0.2
const enough = { lone: 0.5, definite: 0.3 } as const

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
      return text === undefined ? next : heard(next, text)
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
  const text = event.text.slice(0, lookedAt)
  return { ...references, waiting: { ...references.waiting, [event.promptId]: text } }
}

function called(references: References, { callId, tool, input }: EventOf<"tool.called">): References {
  const entity = entityOfCall(tool, input)
  if (entity === undefined) return references
  const named = withFocus(references, { ...entity, turn: references.turn, isWritten: false })
  const isWriting = tool === "write" || tool === "edit"
  return isWriting ? { ...named, writing: { ...named.writing, [callId]: entity.name } } : named
}

function ended(references: References, { callId, outcome }: EventOf<"tool.ended">): References {
  const name = references.writing[callId]
  if (name === undefined || outcome !== "done") return references
  return withFocus(references, { kind: "file", name, turn: references.turn, isWritten: true })
}

/** In text order: entities are available to the references that follow them. */
function heard(before: References, text: string): References {
  const turn = before.turn + 1
  const mentions = mentionsIn(text)
  let named: References = { ...before, turn }
  let next = 0
  const found: Resolution[] = []
  const phrases = phrasesIn(text)
  for (const phrase of phrases) {
    for (; (mentions[next]?.start ?? Infinity) < phrase.start; next += 1) named = withMention(named, mentions[next])
    const entity = meaningOf(named, phrase, text)
    if (entity !== undefined) found.push({ words: phrase.words, entity })
  }
  for (; next < mentions.length; next += 1) named = withMention(named, mentions[next])
  const newest = unambiguous(found).slice(0, mostHints)
  return {
    ...named,
    broughtUpMore: bringsUpMore(text),
    found: before.found + phrases.length,
    resolved: before.resolved + found.length,
    last: newest.at(-1) ?? before.last,
    newest,
  }
}

function meaningOf({ focus, turn, broughtUpMore }: References, phrase: Phrase, text: string): string | undefined {
  if (phrase.hasRival) return undefined
  const named = focus.filter(({ kind }) => phrase.kinds.includes(kind))
  if (!phrase.isLone) return likeliest(named, turn, enough.definite)
  const here = named.filter((entry) => entry.turn === turn)
  if (here.length > 0) return likeliest(here, turn, enough.lone)
  if (!opensText(text, phrase)) return undefined
  return likeliest(broughtUpMore ? named.filter(({ isWritten }) => isWritten) : named, turn, enough.lone)
}

function likeliest(named: readonly Focus[], turn: number, least: number): string | undefined {
  const scored = named.map((entry) => ({ name: entry.name, score: scoreOf(entry, turn) }))
  const [best, second] = scored.toSorted((one, other) => other.score - one.score)
  if (best === undefined || best.score < least) return undefined
  return best.score - (second?.score ?? 0) < margin ? undefined : best.name
}

function scoreOf({ turn: named, isWritten }: Focus, turn: number): number {
  const age = turn - named
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
  const focus = [...others, isWritten ? { ...entry, isWritten } : entry].slice(-mostFocus)
  const digest = digestOf(entry.kind, entry.name)
  const isNew = references.seen.length < mostSeen && !references.seen.includes(digest)
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
  for (const sign of `${kind} ${name}`) hash = Math.imul(hash ^ (sign.codePointAt(0) ?? 0), 0x01000193) >>> 0
  return hash
}

function without<Value>(all: Readonly<Record<string, Value>>, key: string): Readonly<Record<string, Value>> {
  const { [key]: _, ...others } = all
  return others
}
