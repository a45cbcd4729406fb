// Reads the YAML front matter of a markdown file: the requested keys only, every value as text. Other keys are skipped
// before parsing, so that front matter written for other programs does not have to be valid here.
import type { LineCounter, Node, ParsedNode } from "yaml"

export type Entry = Readonly<Record<string, string>>

export interface FrontMatter {
  readonly texts: ReadonlyMap<string, string>
  readonly lists: ReadonlyMap<string, readonly Entry[]>
  readonly body: string
}

export interface FrontMatterKeys {
  readonly texts: readonly string[]
  readonly lists: readonly string[]
}

export class FrontMatterError extends Error {}

/** Characters of the requested keys and their values. Bounds the time that parsing takes; more is an error. */
const MAX_LENGTH = 16 * 1024

/** A file that does not begin with `---` is all body. Throws a FrontMatterError that names the line. */
export async function readFrontMatter(text: string, keys: FrontMatterKeys): Promise<FrontMatter> {
  const lines = text.replace(/^\u{feff}/u, "").split(/\r?\n/)
  if (lines[0]?.trimEnd() !== "---") return { texts: new Map(), lists: new Map(), body: lines.join("\n") }
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === "---")
  if (end < 0) throw new FrontMatterError("line 1: front matter is not closed. Add a line '---' after it.")
  const source = blankOtherKeys(lines.slice(0, end), [...keys.texts, ...keys.lists])
  if (source.length > MAX_LENGTH) throw new FrontMatterError(`front matter has more than ${MAX_LENGTH} characters`)
  return { ...(await parse(source, keys)), body: lines.slice(end + 1).join("\n") }
}

/** The body of a file, without a check of its front matter. */
export function withoutFrontMatter(text: string): string {
  return text.replace(/^\uFEFF?---[ \t]*\r?\n(?:.*?\r?\n)?---[ \t]*(?:\r?\n|$)/s, "").trim()
}

/** The given keys, each read by itself: what is no valid YAML is taken as it is written. */
export async function lenientFrontMatter(text: string, keys: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const raw = rawFrontMatter(text)
  const values = new Map<string, string>()
  for (const key of keys) {
    const value = (await parsedText(text, key)) ?? raw.get(key)
    if (value !== undefined) values.set(key, value)
  }
  return values
}

async function parsedText(text: string, key: string): Promise<string | undefined> {
  try {
    return (await readFrontMatter(text, { texts: [key], lists: [] })).texts.get(key)
  } catch (error) {
    if (error instanceof FrontMatterError) return undefined
    throw error
  }
}

/**
 * Values as they are written, but for quotes around them; the items of a list are joined by commas. For files of other
 * programs, whose front matter is often no valid YAML.
 */
export function rawFrontMatter(text: string): ReadonlyMap<string, string> {
  const lines = text.replace(/^\u{feff}/u, "").split(/\r?\n/)
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === "---")
  if (lines[0]?.trimEnd() !== "---" || end < 0) return new Map()
  const values = new Map<string, string>()
  let key: string | undefined
  for (const line of lines.slice(1, end)) {
    const pair = /^([\w-]+)[ \t]*:(?:[ \t]+(\S.*))?$/.exec(line)
    const item = /^[ \t]*-[ \t]+(\S.*)$/.exec(line)?.[1]
    if (pair !== null) key = pair[1]
    const value = unquoted(pair?.[2] ?? item ?? "")
    if (key === undefined || value === "") continue
    values.set(key, pair === null && values.has(key) ? `${values.get(key)}, ${value}` : value)
  }
  return values
}

function unquoted(value: string): string {
  return value.trim().replace(/^(["'])(.*)\1$/, "$2")
}

/** Blanks all other lines, so that line numbers stay those of the file. */
function blankOtherKeys(lines: readonly string[], keys: readonly string[]): string {
  let isListedKey = true
  const blanked = lines.map((line, index) => {
    const key = /^([\w-]+)[ \t]*:(?:\s|$)/.exec(line)?.[1]
    if (key !== undefined) isListedKey = keys.includes(key)
    return isListedKey && index > 0 ? line : ""
  })
  return blanked.join("\n")
}

async function parse(source: string, keys: FrontMatterKeys): Promise<Omit<FrontMatter, "body">> {
  const yaml = await import("yaml")
  const lineCounter = new yaml.LineCounter()
  // "failsafe" reads every scalar as text. Nodes are read as they are and aliases never resolved.
  const document = yaml.parseDocument(source, { schema: "failsafe", prettyErrors: false, lineCounter })
  const [problem] = [...document.errors, ...document.warnings]
  if (problem !== undefined)
    throw new FrontMatterError(`line ${lineAt(lineCounter, problem.pos[0])}: ${problem.message}`)

  const fail = (node: Node | null | undefined, what: string) =>
    new FrontMatterError(`line ${lineAt(lineCounter, node?.range?.[0])}: ${what}`)
  const pairs = (node: ParsedNode | null) => {
    if (!yaml.isMap<ParsedNode, ParsedNode | null>(node)) throw fail(node, "expected 'key: value'")
    return node.items.map(({ key, value }) => [text(key), value] as const)
  }
  const text = (node: ParsedNode | null): string => {
    if (!yaml.isScalar(node) || typeof node.value !== "string") throw fail(node, "expected a text. Put it in quotes.")
    return node.value
  }
  const entries = (node: ParsedNode | null): readonly Entry[] => {
    if (yaml.isScalar(node) && node.value === "") return []
    if (!yaml.isSeq<ParsedNode>(node)) throw fail(node, "expected a list")
    return node.items.map((item) => Object.fromEntries(pairs(item).map(([key, value]) => [key, text(value)])))
  }

  const members = document.contents === null ? [] : pairs(document.contents)
  const pick = <Value>(names: readonly string[], read: (node: ParsedNode | null) => Value) =>
    new Map(members.filter(([key]) => names.includes(key)).map(([key, value]) => [key, read(value)]))
  return { texts: pick(keys.texts, text), lists: pick(keys.lists, entries) }
}

function lineAt(lineCounter: LineCounter, offset = 0): number {
  return lineCounter.linePos(offset).line
}
