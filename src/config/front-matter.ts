// The head of a markdown file between two lines of `---`, as far as commands need it: texts, and one list of small maps,
// in block or flow form. A strict part of YAML: what lies outside it is told with its line, never guessed at. Keys that
// nobody asked for are passed over with all that stands under them.
import { FlowReader } from "./flow-yaml.ts"
import { readScalar, YamlFault } from "./yaml-scalar.ts"

export type Entry = Readonly<Record<string, string>>

export interface FrontMatter {
  readonly texts: ReadonlyMap<string, string>
  readonly lists: ReadonlyMap<string, readonly Entry[]>
  readonly body: string
}

export interface WantedKeys {
  readonly texts: readonly string[]
  readonly lists: readonly string[]
}

/** Throws a YamlFault. A file without a head is all body. */
export function readFrontMatter(text: string, wanted: WantedKeys): FrontMatter {
  const lines = text.replace(/^\u{feff}/u, "").split(/\r?\n/)
  if (lines[0]?.trimEnd() !== "---") return { texts: new Map(), lists: new Map(), body: lines.join("\n") }
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === "---")
  if (end < 0) throw new YamlFault("the head that begins with '---' has no end")
  const head = new HeadReader(lines.slice(1, end), wanted)
  return { ...head.read(), body: lines.slice(end + 1).join("\n") }
}

/** A line that says something, and where it stands in the file. */
interface Line {
  readonly number: number
  readonly indent: number
  readonly text: string
}

class HeadReader {
  readonly #lines: readonly Line[]
  readonly #wanted: WantedKeys
  readonly #texts = new Map<string, string>()
  readonly #lists = new Map<string, readonly Entry[]>()

  constructor(lines: readonly string[], wanted: WantedKeys) {
    this.#lines = lines.flatMap((line, index) => meaningful(line, index + 2))
    this.#wanted = wanted
  }

  read(): Omit<FrontMatter, "body"> {
    const parts: { readonly line: Line; readonly inner: Line[] }[] = []
    for (const line of this.#lines) {
      const isInner = line.indent > 0 || isItem(line.text)
      const part = isInner ? parts.at(-1) : undefined
      if (part === undefined) parts.push({ line, inner: [] })
      else part.inner.push(line)
    }
    for (const { line, inner } of parts) inLine(line, () => this.#take(line, inner))
    return { texts: this.#texts, lists: this.#lists }
  }

  #take(line: Line, inner: readonly Line[]): void {
    const [key, value] = pairOf(line.text)
    if (line.indent > 0) throw new YamlFault("is indented without a reason")
    if (this.#texts.has(key) || this.#lists.has(key)) throw new YamlFault(`says '${key}' again`)
    if (this.#wanted.lists.includes(key)) this.#lists.set(key, value === "" ? block(inner) : flow(value, inner))
    else if (this.#wanted.texts.includes(key)) this.#texts.set(key, single(value, inner))
  }
}

function single(value: string, inner: readonly Line[]): string {
  if (inner.length > 0) throw new YamlFault("must say all in one line")
  return readScalar(value)
}

function flow(value: string, inner: readonly Line[]): readonly Entry[] {
  if (inner.length > 0) throw new YamlFault("must say all in one line")
  return new FlowReader(value).list()
}

/** `- key: value`, further pairs below it. */
function block(lines: readonly Line[]): readonly Entry[] {
  const entries: Record<string, string>[] = []
  for (const line of lines) inLine(line, () => addPair(entries, line.text))
  return entries
}

function addPair(entries: Record<string, string>[], text: string): void {
  if (isItem(text)) entries.push({})
  const entry = entries.at(-1)
  if (entry === undefined) throw new YamlFault("stands before the first '- '")
  const said = text.replace(/^-\s*/, "")
  if (said === "") return
  const pairs = said.startsWith("{") ? Object.entries(new FlowReader(said).map()) : [scalarPair(said)]
  for (const [key, value] of pairs) {
    if (Object.hasOwn(entry, key)) throw new YamlFault(`says '${key}' again`)
    entry[key] = value
  }
}

function scalarPair(text: string): readonly [string, string] {
  const [key, value] = pairOf(text)
  return [key, readScalar(value)]
}

function pairOf(text: string): readonly [string, string] {
  const [, key, value = ""] = /^([A-Za-z_][\w-]*)[ \t]*:(?:[ \t](.*))?$/s.exec(text) ?? []
  if (key === undefined) throw new YamlFault("is not of the form 'key: value'")
  const given = value.trimStart()
  return [key, given.startsWith("#") ? "" : given]
}

function isItem(text: string): boolean {
  return text === "-" || text.startsWith("- ")
}

function meaningful(line: string, number: number): readonly Line[] {
  const text = line.trim()
  if (text === "" || text.startsWith("#")) return []
  return [{ number, indent: line.length - line.trimStart().length, text }]
}

function inLine({ number }: Line, read: () => void): void {
  try {
    read()
  } catch (fault) {
    if (fault instanceof YamlFault && !fault.isPlaced) throw new YamlFault(`line ${number} ${fault.message}`, true)
    throw fault
  }
}
