// Holds what came against what was expected. Objects are closed unless they have a member "..."; a text in angle
// brackets stands for any value of a kind, `<uuid>`, or for one that came before: `<uuid as visit>`, then `<visit>`.
import { isJsonObject, type JsonObject } from "../../src/contract/json-object.ts"
import type { JsonValue } from "../../src/contract/values.ts"

export type Captures = ReadonlyMap<string, JsonValue>

export type Fit =
  | { readonly kind: "fits"; readonly captures: Captures }
  | { readonly kind: "differs"; readonly where: string; readonly expected: string; readonly came: string }

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

export function fit(expected: JsonValue, came: JsonValue | undefined, captures: Captures, where = ""): Fit {
  return compare(expected, came, { captures, where })
}

/** What is to be sent: names in angle brackets are replaced by what came under them. */
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
  if (value === undefined) throw new Error(`nothing came before under the name <${name}>`)
  return value
}

function compare(expected: JsonValue, came: JsonValue | undefined, at: Comparison): Fit {
  if (came === undefined) return differs(expected, came, at)
  if (typeof expected === "string") return compareText(expected, came, at)
  if (Array.isArray(expected))
    return Array.isArray(came) ? compareLists(expected, came, at) : differs(expected, came, at)
  if (isJsonObject(expected))
    return isJsonObject(came) ? compareObjects(expected, came, at) : differs(expected, came, at)
  return expected === came ? { kind: "fits", captures: at.captures } : differs(expected, came, at)
}

function compareText(expected: string, came: JsonValue, at: Comparison): Fit {
  const { pattern, name, as } = placeholder.exec(expected)?.groups ?? {}
  if (pattern !== undefined) {
    const isLike = typeof came === "string" && new RegExp(pattern, "s").test(came)
    return isLike ? captured(as, came, at) : differs(expected, came, at)
  }
  if (name === undefined) return expected === came ? captured(as, came, at) : differs(expected, came, at)
  const isKind = Object.hasOwn(kinds, name) ? kinds[name] : undefined
  if (isKind === undefined) return compare(known(name, at.captures), came, at)
  return isKind(came) ? captured(as, came, at) : differs(expected, came, at)
}

function captured(as: string | undefined, came: JsonValue, { captures }: Comparison): Fit {
  return { kind: "fits", captures: as === undefined ? captures : new Map([...captures, [as, came]]) }
}

function compareLists(expected: readonly JsonValue[], came: readonly JsonValue[], at: Comparison): Fit {
  if (expected.length !== came.length) return differs(expected.length, came.length, inside(at, "the number of items"))
  return each(
    expected.map((item, index) => [String(index), item, came[index]]),
    at,
  )
}

function compareObjects(expected: JsonObject, came: JsonObject, at: Comparison): Fit {
  const members = Object.entries(expected).filter(([name]) => name !== mayHaveMore)
  const asked = each(
    members.map(([name, value]) => [name, value ?? null, Object.hasOwn(came, name) ? came[name] : undefined]),
    at,
  )
  const tooMany = Object.keys(came).find((name) => !Object.hasOwn(expected, name))
  if (asked.kind === "differs" || tooMany === undefined || Object.hasOwn(expected, mayHaveMore)) return asked
  return { ...differs(null, came[tooMany], inside(at, tooMany)), expected: "no such member" }
}

function each(pairs: readonly (readonly [string, JsonValue, JsonValue | undefined])[], at: Comparison): Fit {
  let captures = at.captures
  for (const [name, expected, came] of pairs) {
    const one = compare(expected, came, { captures, where: inside(at, name).where })
    if (one.kind === "differs") return one
    captures = one.captures
  }
  return { kind: "fits", captures }
}

function inside({ captures, where }: Comparison, name: string): Comparison {
  return { captures, where: where === "" ? name : `${where}.${name}` }
}

function differs(expected: JsonValue, came: JsonValue | undefined, { where }: Comparison) {
  const shown = came === undefined ? "nothing" : JSON.stringify(came)
  return { kind: "differs", where, expected: JSON.stringify(expected), came: shown } as const
}
