// Changes one value in a JSON text as a hostile or careless client would: other types, extreme numbers, missing, doubled and
// foreign members, deep nesting, odd spellings of the same value.
import type { JsonValue } from "../../../../contract/values.ts"
import { tryParseJson } from "../../../../contract/json-object.ts"
import { isDeeper } from "../../../../protocols/json-text.ts"
import { pick } from "../../seeded.ts"

export interface Materials {
  readonly below: (below: number) => number
  readonly words: readonly string[]
  /** Another input of the same target. */
  readonly other: () => JsonValue | undefined
}

type Replace = (value: JsonValue) => JsonValue | undefined

/** Deeper texts are changed byte by byte only. */
const MAX_DEPTH = 200
const MAX_LENGTH = 64 * 1024
const LONG = 20_000
const DEEP = 3000
/** Stands for text that JSON.stringify cannot write. Private use, so that no input has it by chance. */
const mark = "\ue000raw:"

const oddTexts: readonly string[] = [
  "",
  " ",
  "__proto__",
  "constructor",
  "toString",
  "..",
  "../../x",
  "a\u0000b",
  "\ud800",
  "\udc00\ud800",
  "\u202e\u200d",
  "\u001b[2J\r\n",
  "\u2028",
  "\ufeff",
  "e\u0301".repeat(50),
  "true",
  "-1",
  "NaN",
]
const oddNumbers: readonly string[] = [
  "0",
  "-0",
  "-1",
  "1.5",
  "1e308",
  "-1e308",
  "1e400",
  "5e-324",
  "4294967295",
  "4294967296",
  "9007199254740993",
  "18446744073709551616",
  "0.1e1",
  "1E+2",
]

/** Undefined if the text is not JSON, or too large or too deep to be changed as a value. */
export function mutateJson(text: string, materials: Materials): string | undefined {
  if (text.length > MAX_LENGTH) return undefined
  const value = tryParseJson(text)
  if (value === undefined || isDeeper(value, MAX_DEPTH)) return undefined
  const { below } = materials
  const nodes = countNodes(value)
  let changed: JsonValue = value
  for (let times = 1 + below(2); times > 0; times -= 1) {
    const replace = below(5) < 3 ? (node: JsonValue) => likeBefore(node, materials) : replacement(materials)
    changed = replaceNode(changed, nodes === 1 ? 0 : 1 + below(nodes - 1), replace) ?? null
  }
  return spell(changed, materials)
}

/** Another value of the same type, so that many inputs stay well-formed. */
function likeBefore(value: JsonValue, materials: Materials): JsonValue {
  const { below, words } = materials
  if (typeof value === "boolean") return !value
  if (typeof value === "number") return below(2) === 0 ? below(100) : `${mark}${pick(oddNumbers, below)}`
  if (typeof value !== "string") return withMember(value, materials)
  const texts: readonly (() => JsonValue)[] = [
    () => pick(words, below),
    () => pick(oddTexts, below),
    () => cutText(value, below),
    () => lengthened(value, below),
  ]
  return pick(texts, below)()
}

function replacement(materials: Materials): Replace {
  const { below } = materials
  const choices: readonly Replace[] = [
    () => oddValue(materials),
    () => pick(materials.words, below),
    () => undefined, // the member is left out
    (value) => withMember(value, materials),
    (value) => renameMember(value, materials),
    (value) => doubleMember(value, materials),
    (value) => [value],
    (value) => ({ [pick(materials.words, below)]: value }),
    (value) => lengthened(value, below),
    () => partOf(materials.other(), below),
    (value) => (typeof value === "string" ? cutText(value, below) : JSON.stringify(value)),
    () => deepValue(below),
  ]
  return pick(below(8) === 0 ? choices : choices.slice(0, -1), below)
}

function oddValue({ below, words }: Materials): JsonValue {
  const values: readonly (() => JsonValue)[] = [
    () => null,
    () => true,
    () => false,
    () => [],
    () => ({}),
    () => `${mark}${pick(oddNumbers, below)}`,
    () => below(1000),
    () => pick(oddTexts, below),
    () => pick(words, below),
  ]
  return pick(values, below)()
}

function deepValue(below: (below: number) => number): string {
  const depth = 1 + below(DEEP)
  return below(2) === 0
    ? `${mark}${"[".repeat(depth)}${"]".repeat(depth)}`
    : `${mark}${'{"a":'.repeat(depth)}0${"}".repeat(depth)}`
}

function withMember(value: JsonValue, materials: Materials): JsonValue {
  const { below, words } = materials
  const member = below(2) === 0 ? oddValue(materials) : (partOf(materials.other(), below) ?? null)
  if (Array.isArray(value)) return [...list(value), member]
  return { ...membersOf(value), [below(8) === 0 ? pick(oddTexts, below) : pick(words, below)]: member }
}

function renameMember(value: JsonValue, { below, words }: Materials): JsonValue {
  const members = Object.entries(membersOf(value))
  if (members.length === 0) return value
  const renamed = below(members.length)
  return Object.fromEntries(members.map(([name, member], at) => [at === renamed ? pick(words, below) : name, member]))
}

/** The same name twice, with another value. */
function doubleMember(value: JsonValue, materials: Materials): JsonValue {
  const members = Object.entries(membersOf(value))
  if (members.length === 0) return value
  const [name, member] = pick(members, materials.below)
  const odd = oddValue(materials)
  const second = typeof odd === "string" && odd.startsWith(mark) ? odd.slice(mark.length) : JSON.stringify(odd)
  return { ...membersOf(value), [name]: `${mark}${JSON.stringify(member)},${JSON.stringify(name)}:${second}` }
}

function lengthened(value: JsonValue, below: (below: number) => number): JsonValue {
  const times = 2 + below(below(100) === 0 ? LONG : 6)
  if (typeof value === "string") return value.length * times > LONG ? value : value.repeat(times)
  if (Array.isArray(value)) return Array.from({ length: Math.min(times, 500) }, () => list(value)).flat()
  return Array.from({ length: Math.min(times, 500) }, () => value)
}

function cutText(text: string, below: (below: number) => number): string {
  const at = below(text.length + 1)
  return below(2) === 0 ? text.slice(0, at) : text.slice(0, at) + pick(oddTexts, below) + text.slice(at)
}

/** A value inside of a value, or the whole. */
function partOf(value: JsonValue | undefined, below: (below: number) => number): JsonValue | undefined {
  if (value === undefined || isDeeper(value, MAX_DEPTH)) return undefined
  const wanted = below(countNodes(value))
  let found: JsonValue = value
  replaceNode(value, wanted, (node) => (found = node))
  return found
}

function countNodes(value: JsonValue): number {
  return Object.values(membersOf(value)).reduce<number>((sum, member) => sum + countNodes(member), 1)
}

/** In the order of the text; the value itself is number 0. */
function replaceNode(value: JsonValue, wanted: number, replace: Replace): JsonValue | undefined {
  let number = -1
  const visit = (node: JsonValue): JsonValue | undefined => {
    number += 1
    if (number === wanted) return replace(node)
    if (number > wanted || typeof node !== "object" || node === null) return node
    const members = Object.entries(membersOf(node)).flatMap(([name, member]) => {
      const visited = visit(member)
      return visited === undefined ? [] : [[name, visited] as const]
    })
    return Array.isArray(node) ? members.map(([, member]) => member) : Object.fromEntries(members)
  }
  return visit(value)
}

/** Of an array by index; none of a value without members. */
function membersOf(value: JsonValue): Readonly<Record<string, JsonValue>> {
  if (typeof value !== "object" || value === null) return {}
  const members: [string, JsonValue][] = []
  for (const [name, member] of Object.entries(value)) if (member !== undefined) members.push([name, member])
  return Object.fromEntries(members)
}

function list(value: JsonValue): readonly JsonValue[] {
  return Object.values(membersOf(value))
}

const markedText = /"\ue000raw:((?:[^"\\]|\\.)*)"/g

/** The text may spell characters as escapes, and have white space. */
function spell(value: JsonValue, { below }: Materials): string {
  const text = JSON.stringify(value, null, below(20) === 0 ? 1 : undefined).replaceAll(markedText, rawText)
  if (below(15) > 0) return text
  return text.replaceAll(/[a-z]/g, (letter) =>
    below(10) === 0 ? `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}` : letter,
  )
}

function rawText(_: string, escaped: string): string {
  const text: string = JSON.parse(`"${escaped}"`)
  return text
}
