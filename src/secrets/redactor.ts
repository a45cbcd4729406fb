// Replaces secrets with placeholders before anything is stored or logged. Text in chunks gives the same result as the
// whole: only what could still become a secret is held back. Overlapping occurrences are removed completely. No form of a
// secret appears in a result.
import { createHmac } from "node:crypto"
import type { JsonValue } from "../contract/values.ts"
import { createFormIndex, joinIndexes, type FormIndex } from "./form-index.ts"
import { formsOf, type Secret, shortestSecret } from "./forms.ts"
import { namelessSecret, placeholderOf, PLACEHOLDER_START } from "../contract/text/placeholder.ts"
import type { OwnSecrets } from "./own-secrets.ts"
import { createTokenIndex } from "./token-shapes.ts"

export interface Redactor {
  /** Returns the same string if there is nothing to redact. */
  text(text: string): string
  /** Redacts strings and keys. Returns the same value if there is nothing to redact. */
  json(value: JsonValue): JsonValue
  stream(): RedactorStream
  holds(value: JsonValue): boolean
}

export interface RedactorStream {
  push(chunk: string): string
  /** Returns what was held back; the stream can be used for another text. */
  end(): string
}

export interface RedactorOptions {
  readonly secrets: readonly Secret[]
  readonly own?: OwnSecrets
  /** Secrets that are learned while the redactor is used. */
  readonly late?: LateSecrets
  readonly key: Uint8Array
}

/** Shared by the redactors of a process. Only grows: a key that was replaced may still be in a text. */
export class LateSecrets {
  readonly #secrets: Secret[] = []

  get all(): readonly Secret[] {
    return this.#secrets
  }

  learn(secret: Secret): void {
    if (!isUsable(secret) || this.#secrets.some(({ value }) => value === secret.value)) return
    if (this.#secrets.length >= MAX_LATE) this.#secrets.shift()
    this.#secrets.push(secret)
  }
}

/** The newest are kept: a token that is renewed every few minutes must not fill the memory. */
const MAX_LATE = 200

/** Turnhouse's own keys are long and random. A stream does not hold back so few of their first characters: else text
 *  would stop at every letter with which one of them happens to begin. What follows these characters is redacted. */
const freeCharacters = 3

export function createRedactor(given: RedactorOptions): Redactor {
  const known = indexOf(given.secrets.filter(isUsable))
  const fixed = given.own === undefined ? known : joinIndexes(known, ownIndex(given.own))
  const index = given.late === undefined ? fixed : withLate(fixed, given.late)
  const placeholder = placeholders(index, given.key)
  const holdsText = (text: string) => index.find(text, 0) !== undefined
  const text = (whole: string) => (holdsText(whole) ? createStream(index, placeholder, false).push(whole) : whole)
  return {
    text,
    json: (value) => (someText(value, holdsText) ? redactJson(value, text) : value),
    stream: () => createStream(index, placeholder, true),
    holds: (value) => someText(value, holdsText),
  }
}

/** Built again when a secret was learned. */
function withLate(fixed: FormIndex, late: LateSecrets): FormIndex {
  let newest: Secret | undefined
  let joined = fixed
  const current = () => {
    const last = late.all.at(-1)
    if (last === newest) return joined
    newest = last
    joined = joinIndexes(fixed, indexOf(late.all))
    return joined
  }
  return { find: (text, from) => current().find(text, from), openFrom: (text) => current().openFrom(text) }
}

/** A value that is part of every placeholder cannot be redacted. */
function isUsable({ value }: Secret): boolean {
  return value.length >= shortestSecret && !PLACEHOLDER_START.includes(value)
}

function ownIndex({ keys, tokens }: OwnSecrets): FormIndex {
  const minSuffix = freeCharacters + 1
  return joinIndexes(indexOf(keys, minSuffix), createTokenIndex(tokens, minSuffix))
}

function indexOf(secrets: readonly Secret[], minSuffix = 1): FormIndex {
  const byForm = new Map<string, Secret>()
  for (const secret of secrets) {
    for (const form of formsOf(secret.value)) if (!byForm.has(form)) byForm.set(form, secret)
  }
  return createFormIndex(
    [...byForm].map(([text, secret]) => ({ text, secret })),
    minSuffix,
  )
}

/** Created when first needed: most secrets never occur. */
function placeholders(index: FormIndex, key: Uint8Array): (secret: Secret) => string {
  const cache = new WeakMap<Secret, string>()
  return (secret) => {
    const known = cache.get(secret)
    if (known !== undefined) return known
    const tag = createHmac("sha256", key).update(secret.value).digest("hex").slice(0, 4)
    const named = placeholderOf(secret.name, tag)
    const placeholder = index.find(named, 0) === undefined ? named : placeholderOf(namelessSecret, tag)
    cache.set(secret, placeholder)
    return placeholder
  }
}

function createStream(index: FormIndex, placeholderFor: (secret: Secret) => string, holdBack: boolean): RedactorStream {
  let held = "" // from the last few characters on that were given out
  let covered = 0 // up to where `held` was given out, or is part of a secret whose placeholder was
  let newest: string | undefined // that placeholder

  function advance(text: string, decided: number): string {
    let out = ""
    for (let found = index.find(text, 0); found !== undefined; found = index.find(text, found.start + 1)) {
      if (found.start >= decided) break
      if (found.end <= covered) continue
      const placeholder = placeholderFor(found.secret)
      if (found.start >= covered) out += text.slice(covered, found.start) + placeholder
      else if (placeholder !== newest) out += placeholder
      newest = placeholder
      covered = found.end
    }
    if (covered < decided) out += text.slice(covered, decided)
    const kept = Math.max(0, decided - freeCharacters)
    held = text.slice(kept)
    covered = Math.max(decided, covered) - kept
    return out
  }

  return {
    push(chunk) {
      const text = held + chunk
      return advance(text, holdBack ? index.openFrom(text) : text.length)
    },
    end() {
      const rest = advance(held, held.length)
      held = ""
      covered = 0
      return rest
    },
  }
}

/** Parts without a change are passed on, not copied. */
function redactJson(value: JsonValue, text: (text: string) => string): JsonValue {
  if (typeof value === "string") return text(value)
  if (typeof value !== "object" || value === null) return value
  if (isList(value)) {
    const items = value.map((item) => redactJson(item, text))
    return items.some((item, at) => item !== value[at]) ? items : value
  }
  const before = Object.entries(value)
  const after = before.map(([key, item]) => [text(key), item === undefined ? item : redactJson(item, text)] as const)
  const changed = after.some(([key, item], at) => key !== before[at]?.[0] || item !== before[at]?.[1])
  return changed ? Object.fromEntries(withDistinctKeys(after)) : value
}

/** Nearly all values have nothing to redact: they are searched without a copy of their entries. */
function someText(value: JsonValue, test: (text: string) => boolean): boolean {
  if (typeof value === "string") return test(value)
  if (typeof value !== "object" || value === null) return false
  if (isList(value)) return value.some((item) => someText(item, test))
  for (const key in value) {
    if (!Object.hasOwn(value, key)) continue
    const item = value[key]
    if (test(key) || (item !== undefined && someText(item, test))) return true
  }
  return false
}

type Entry = readonly [key: string, value: JsonValue | undefined]

/** Two forms of one secret as keys get the same placeholder; neither entry may be lost. */
function withDistinctKeys(entries: readonly Entry[]): Entry[] {
  const used = new Set<string>()
  return entries.map(([key, item]) => {
    let distinct = key
    for (let count = 2; used.has(distinct); count++) distinct = `${key}#${count}`
    used.add(distinct)
    return [distinct, item]
  })
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value)
}
