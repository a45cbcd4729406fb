// Compares a received value with an expected one. Objects are closed unless they have a field "...". A string in angle
// brackets matches any value of a kind, `<uuid>`, or an earlier value: `<uuid as visit>`, then `<visit>`.
import { isJsonObject, type JsonObject } from "../../src/contract/json-object.ts"
import type { JsonValue } from "../../src/contract/values.ts"

export type Captures = ReadonlyMap<string, JsonValue>

export type Fit =
  | { readonly kind: "fits"; readonly captures: Captures }
  | { readonly kind: "differs"; readonly where: string; readonly expected: string; readonly received: string }

interface Comparison {
  readonly captures: Captures
  readonly where: string
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const kinds: Readonly<Record<string, (value: JsonValue) => boolean>> = {
  any: () => true,
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === "boolean",
  object: (value) => isJsonObject(value),
  list: (value) => Array.isArray(value),
  uuid: (value) => typeof value === "string" && uuid.test(value),
}

const placeholder = /^<(?:\/(?<pattern>.+)\/|(?<name>[A-Za-z][\w-]*))(?: as (?<as>[A-Za-z][\w-]*))?>$/s
const mayHaveMore = "..."

export function fit(expected: JsonValue, received: JsonValue | undefined, captures: Captures, where = ""): Fit {
  return compare(expected, received, { captures, where })
}

/** Replaces names in angle brackets by the values captured under them. */
export function fill(value: JsonValue, captures: Captures): JsonValue {
  if (typeof value === "string") return fillText(value, captures)
  if (Array.isArray(value)) return value.map((item) => fill(item, captures))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, fill(item ?? null, captures)]))
}

export function fillObject(value: JsonObject, captures: Captures): JsonObject {
  const filled = fill(value, captures)
  return isJsonObject(filled) ? filled : {}
}

function fillText(text: string, captures: Captures): JsonValue {
  const whole = /^<([A-Za-z][\w-]*)>$/.exec(text)?.[1]
  if (whole !== undefined) return known(whole, captures)
  return text.replaceAll(/<([A-Za-z][\w-]*)>/g, (found, name: string) => textOf(captures.get(name)) ?? found)
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : JSON.stringify(value)
}

function known(name: string, captures: Captures): JsonValue {
  const value = captures.get(name)
  if (value === undefined) throw new Error(`no value was captured as <${name}>`)
  return value
}

function compare(expected: JsonValue, received: JsonValue | undefined, at: Comparison): Fit {
  if (received === undefined) return differs(expected, received, at)
  if (typeof expected === "string") return compareText(expected, received, at)
  if (Array.isArray(expected))
    return Array.isArray(received) ? compareLists(expected, received, at) : differs(expected, received, at)
  if (isJsonObject(expected))
    return isJsonObject(received) ? compareObjects(expected, received, at) : differs(expected, received, at)
  return expected === received ? { kind: "fits", captures: at.captures } : differs(expected, received, at)
}

function compareText(expected: string, received: JsonValue, at: Comparison): Fit {
  const { pattern, name, as } = placeholder.exec(expected)?.groups ?? {}
  if (pattern !== undefined) {
    const isLike = typeof received === "string" && new RegExp(pattern, "s").test(received)
    return isLike ? captured(as, received, at) : differs(expected, received, at)
  }
  if (name === undefined) return expected === received ? captured(as, received, at) : differs(expected, received, at)
  const isKind = Object.hasOwn(kinds, name) ? kinds[name] : undefined
  if (isKind === undefined) return compare(known(name, at.captures), received, at)
  return isKind(received) ? captured(as, received, at) : differs(expected, received, at)
}

function captured(as: string | undefined, received: JsonValue, { captures }: Comparison): Fit {
  return { kind: "fits", captures: as === undefined ? captures : new Map([...captures, [as, received]]) }
}

function compareLists(expected: readonly JsonValue[], received: readonly JsonValue[], at: Comparison): Fit {
  if (expected.length !== received.length)
    return differs(expected.length, received.length, inside(at, "the number of items"))
  return each(
    expected.map((item, index) => [String(index), item, received[index]]),
    at,
  )
}

function compareObjects(expected: JsonObject, received: JsonObject, at: Comparison): Fit {
  const members = Object.entries(expected).filter(([name]) => name !== mayHaveMore)
  const compared = each(
    members.map(([name, value]) => [name, value ?? null, Object.hasOwn(received, name) ? received[name] : undefined]),
    at,
  )
  const extra = Object.keys(received).find((name) => !Object.hasOwn(expected, name))
  if (compared.kind === "differs" || extra === undefined || Object.hasOwn(expected, mayHaveMore)) return compared
  return { ...differs(null, received[extra], inside(at, extra)), expected: "no such field" }
}

function each(pairs: readonly (readonly [string, JsonValue, JsonValue | undefined])[], at: Comparison): Fit {
  let captures = at.captures
  for (const [name, expected, received] of pairs) {
    const one = compare(expected, received, { captures, where: inside(at, name).where })
    if (one.kind === "differs") return one
    captures = one.captures
  }
  return { kind: "fits", captures }
}

function inside({ captures, where }: Comparison, name: string): Comparison {
  return { captures, where: where === "" ? name : `${where}.${name}` }
}

function differs(expected: JsonValue, received: JsonValue | undefined, { where }: Comparison) {
  const shown = received === undefined ? "nothing" : JSON.stringify(received)
  return { kind: "differs", where, expected: JSON.stringify(expected), received: shown } as const
}
