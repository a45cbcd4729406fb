// Entities named in text and tool calls: files, functions, types, variables, errors, commands. Only clear cases count,
// since a wrong guess is worse than none. Words are checked one by one and have a maximum length, so the time is linear
// in the text.
import { textIn } from "../../contract/json-object.ts"
import type { JsonValue } from "../../contract/values.ts"
import type { EntityKind } from "../../contract/views/session-snapshot.ts"

export type { EntityKind } from "../../contract/views/session-snapshot.ts"

export interface Entity {
  readonly kind: EntityKind
  readonly name: string
}

/** An entity and its position in a text. */
export interface Mention extends Entity {
  readonly start: number
  readonly end: number
}

const MAX_WORD_LENGTH = 200
const word = /`[^`\n]{1,200}`|[^\s`]+/g
const place = /(?::\d{1,6}){1,2}$/
const path = /^(?:~\/|\.{0,2}\/)?(?:[\w.@+-]+\/)*[\w.@+-]*[\w@+-]\.([A-Za-z][A-Za-z0-9]{0,9})$/
const call = /^([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*)\(\)$/
const identifier = /^[A-Za-z_$][\w$]*$/
/** An identifier in camel case or with an underscore, not an English word. */
const codeWord = /[a-z0-9][A-Z]|_\w/
const errorName = /^(?:[A-Z][A-Za-z]*(?:Error|Exception)|E\d{4}|TS\d{4,5}|ENOENT|EACCES|EPERM|EEXIST|EADDRINUSE)$/
const program =
  /^(?:npm|npx|pnpm|yarn|node|deno|bun|tsc|git|make|cargo|go|python3?|pip3?|pytest|docker|kubectl|bash|sh|curl) ./

const extensions = new Set(
  (
    "c cc cfg conf cpp cs css csv dart env ex go gradle h hpp html ini java js json jsx kt less lock log lua md mjs " +
    "mts cjs cts php pl proto py r rb rs scala scss sh sql svelte svg swift tf toml ts tsx txt vue xml yaml yml zig"
  ).split(" "),
)

/** Nouns before or after an identifier that tell its kind. */
export const kindOfNoun: ReadonlyMap<string, EntityKind> = new Map([
  ...["function", "method", "func"].map((noun) => [noun, "function"] as const),
  ...["type", "class", "interface", "struct", "enum", "trait"].map((noun) => [noun, "type"] as const),
  ...["variable", "constant", "const", "field"].map((noun) => [noun, "variable"] as const),
])

export function mentionsIn(text: string): readonly Mention[] {
  const mentions: Mention[] = []
  let before: string | undefined
  let open: { readonly name: string; readonly start: number; readonly end: number } | undefined
  for (const { 0: token, index } of text.matchAll(word)) {
    const start = index
    const { name, isCode } = withoutPunctuation(token)
    const end = start + token.length
    const noun = name.toLowerCase()
    const openKind = kindOfNoun.get(noun)
    if (open !== undefined && openKind !== undefined) mentions.push({ kind: openKind, ...open }) // `parse` function
    open = undefined
    const kind = kindOf(name, isCode) ?? kindAfter(before, name, isCode)
    if (kind !== undefined) mentions.push({ kind, name: name.replace(place, ""), start, end })
    else if (isNameOfCode(name, isCode)) open = { name, start, end }
    before = noun
  }
  return mentions
}

/** The entity that a call of a built-in tool is about. */
export function entityOfCall(tool: string, input: JsonValue): Entity | undefined {
  const isFile = tool === "read" || tool === "write" || tool === "edit"
  if (!isFile && tool !== "bash") return undefined
  const name = textIn(input, isFile ? "path" : "command")
  if (name === undefined || name.length > MAX_WORD_LENGTH || !/^[^\p{Cc}]+$/u.test(name)) return undefined
  return { kind: isFile ? "file" : "command", name }
}

/** Without punctuation around it; the brackets of a call belong to it. */
function withoutPunctuation(token: string): { readonly name: string; readonly isCode: boolean } {
  if (token.length > MAX_WORD_LENGTH + 2) return { name: "", isCode: false }
  if (token.startsWith("`")) return { name: token.slice(1, -1).trim(), isCode: true }
  const name = token.replace(/^[("'<[{*]+/, "").replace(/[.,;:!?"'>\]}*]+$/, "")
  return { name: name.endsWith("()") ? name : name.replace(/\)+[.,;:!?]*$/, ""), isCode: false }
}

function kindOf(name: string, isCode: boolean): EntityKind | undefined {
  if (isCode && program.test(name)) return "command"
  if (call.test(name)) return "function"
  if (errorName.test(name)) return "error"
  const extension = path.exec(name.replace(place, ""))?.[1]
  return extension !== undefined && (name.includes("/") || extensions.has(extension)) ? fileKind(name) : undefined
}

/** Network addresses are not files. */
function fileKind(name: string): EntityKind | undefined {
  return name.includes("//") || /^www\.|^[^/]*\.(?:com|org|net|io|dev)\//.test(name) ? undefined : "file"
}

/** `the function parseConfig` */
function kindAfter(noun: string | undefined, name: string, isCode: boolean): EntityKind | undefined {
  const kind = noun === undefined ? undefined : kindOfNoun.get(noun)
  return kind !== undefined && isNameOfCode(name, isCode) ? kind : undefined
}

function isNameOfCode(name: string, isCode: boolean): boolean {
  return identifier.test(name) && (isCode || codeWord.test(name))
}
