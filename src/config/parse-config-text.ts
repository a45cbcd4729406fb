// Parses JSON with comments and trailing commas. The second parser is loaded only for files that are not plain JSON, and
// positions are computed only for errors. A duplicate key is an error, since one of the two would be lost.
import { isObject } from "../contract/json-object.ts"
import type { Node, ParseError } from "jsonc-parser"
import { type Path } from "./plain.ts"

export interface Place {
  readonly line: number
  readonly column: number
}

export type ParsedText =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "broken"; readonly place: Place; readonly what: string }

const deepest = 64

export async function parseConfigText(text: string): Promise<ParsedText> {
  const plain = parsePlainJson(text)
  return plain === undefined ? await parseWithComments(text) : { kind: "value", value: plain.value }
}

/** Position of a key or a value; of the nearest enclosing one if it is missing. */
export async function placeOf(text: string, path: Path, what: "key" | "value"): Promise<Place> {
  const { parseTree } = await import("jsonc-parser")
  let node = parseTree(text, [], { allowTrailingComma: true })
  let offset = node?.offset ?? 0
  for (const [at, step] of path.entries()) {
    const [inner, key] = childAt(node, step)
    if (inner === undefined) break
    offset = at === path.length - 1 && what === "key" ? (key ?? inner).offset : inner.offset
    node = inner
  }
  return placeAt(text, offset)
}

function childAt(node: Node | undefined, step: string): [value?: Node | undefined, key?: Node | undefined] {
  if (node?.type === "array") return [node.children?.[Number(step)]]
  const property = node?.children?.findLast((child) => child.children?.[0]?.value === step)
  return [property?.children?.[1], property?.children?.[0]]
}

function parsePlainJson(text: string): { value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return keysKept(value, 0) === keysWritten(text) ? { value } : undefined
  } catch {
    return undefined // comments or an error: the other parser decides
  }
}

/** For valid JSON: a string is a key if a colon follows it. */
function keysWritten(text: string): number {
  let keys = 0
  for (const [, colon] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"\s*(:?)/g)) if (colon === ":") keys++
  return keys
}

function keysKept(value: unknown, depth: number): number {
  if (depth > deepest) return Number.NaN
  const inner: unknown[] = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : []
  const own = isObject(value) ? inner.length : 0
  return inner.reduce<number>((sum, item) => sum + keysKept(item, depth + 1), own)
}

async function parseWithComments(text: string): Promise<ParsedText> {
  const { createScanner, parseTree, printParseErrorCode } = await import("jsonc-parser")
  const tooDeep = firstTooDeep(text, createScanner(text, true))
  if (tooDeep !== undefined) return broken(text, tooDeep, `it is nested deeper than ${deepest} levels`)
  const errors: ParseError[] = []
  const tree = parseTree(text, errors, { allowTrailingComma: true })
  const first = errors[0]
  if (tree === undefined) return broken(text, 0, "the file is empty; write {} or remove it")
  if (first !== undefined) return broken(text, first.offset, syntaxErrorTexts[printParseErrorCode(first.error)])
  const twice = findTwice(tree)
  if (twice === undefined) return { kind: "value", value: valueOf(tree) }
  return broken(text, twice.offset, `the key ${JSON.stringify(twice.value)} is a duplicate; remove one`)
}

/** Not recursive, unlike the parser. */
function firstTooDeep(text: string, scanner: { scan(): unknown; getPosition(): number; getTokenOffset(): number }) {
  for (let depth = 0; scanner.getPosition() < text.length;) {
    scanner.scan()
    const token = text[scanner.getTokenOffset()]
    if (token === "{" || token === "[") depth++
    if (token === "}" || token === "]") depth--
    if (depth > deepest) return scanner.getTokenOffset()
  }
  return undefined
}

function findTwice(node: Node): Node | undefined {
  const seen = new Set<unknown>()
  for (const child of node.children ?? []) {
    const key = child.type === "property" ? child.children?.[0] : undefined
    if (key !== undefined && seen.has(key.value)) return key
    if (key !== undefined) seen.add(key.value)
    const inner = findTwice(child)
    if (inner !== undefined) return inner
  }
  return undefined
}

function valueOf(node: Node): unknown {
  const children = node.children ?? []
  if (node.type === "array") return children.map(valueOf)
  if (node.type !== "object") return node.value
  const pairs = children.map((property) => property.children ?? [])
  return Object.fromEntries(pairs.flatMap(([key, value]) => (key && value ? [[key.value, valueOf(value)]] : [])))
}

function broken(text: string, offset: number, what: string): ParsedText {
  return { kind: "broken", place: placeAt(text, offset), what }
}

function placeAt(text: string, offset: number): Place {
  const before = text.slice(0, offset).split("\n")
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

const syntaxErrorTexts = {
  InvalidSymbol: "this is not JSON; texts need double quotes",
  InvalidNumberFormat: "this is not a number",
  PropertyNameExpected: "a key in double quotes is expected here",
  ValueExpected: "a value is expected here",
  ColonExpected: "a colon is missing before this",
  CommaExpected: "a comma is missing before this",
  CloseBraceExpected: "a closing } is missing",
  CloseBracketExpected: "a closing ] is missing",
  EndOfFileExpected: "the file should end here, but there is more",
  InvalidCommentToken: "this is not a comment; use // or /* */",
  UnexpectedEndOfComment: "this comment is not closed",
  UnexpectedEndOfString: "this text is not closed by a double quote",
  UnexpectedEndOfNumber: "this number is cut off",
  InvalidUnicode: "this \\u escape is not four hexadecimal digits",
  InvalidEscapeCharacter: "this escape is unknown; write \\\\ for a backslash",
  InvalidCharacter: "control character; write it as an escape",
  "<unknown ParseErrorCode>": "this is not JSON",
} as const
