// Syntax highlighting of code in Markdown: comments, strings, numbers, keywords and types of common languages. A tokenizer
// and not a parser, linear in the length of the text.
import type { Line, Span, Style } from "./spans.ts"

interface Language {
  /** Source of the pattern of a comment. */
  readonly comment: string
  readonly keywords: ReadonlySet<string>
}

const C_COMMENT = String.raw`\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)`
const HASH_COMMENT = String.raw`(?<![^\s;])#[^\n]*`

const words = (text: string) => new Set(text.split(" "))

const script = words(
  "abstract any as async await boolean break case catch class const constructor continue declare default delete do else enum export extends false finally for from function get if implements import in instanceof interface let namespace new null number of private protected public readonly return set static string super switch this throw true try type typeof undefined unknown var void while yield",
)
const compiled = words(
  "auto async await bool break byte case catch chan char class const continue crate def default defer do double dyn else enum extends extern false final finally float fn for func go goto if impl implements import in int interface let long loop map match mod move mut namespace new nil null override package private protected pub public range ref return select self short signed sizeof static string struct super switch template this throw trait true try type typedef union unsafe unsigned use using var virtual void where while",
)
const python = words(
  "and as assert async await break class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return self True try while with yield",
)
const shell = words(
  "case cd do done echo elif else esac exit export fi for function if in local read return set shift source then trap unset until while",
)
const ruby = words(
  "alias and begin break case class def defined do else elsif end ensure false for if in module next nil not or redo require rescue retry return self super then true undef unless until when while yield",
)
const sql = words(
  "add all alter and as asc begin between by case check column commit constraint create cross default delete desc distinct drop else end exists foreign from full group having if in index inner insert into is join key left like limit not null offset on or order outer primary references returning right rollback select set table then union unique update values view when where with",
)
const data = words("true false null yes no on off")

const families: readonly (readonly [string, Language])[] = [
  ["js jsx ts tsx mjs cjs javascript typescript", { comment: C_COMMENT, keywords: script }],
  [
    "c h cpp c++ cc cs csharp go rust rs java kotlin kt swift scala php dart zig",
    { comment: C_COMMENT, keywords: compiled },
  ],
  ["py python", { comment: HASH_COMMENT, keywords: python }],
  ["sh bash zsh shell console fish dockerfile make makefile", { comment: HASH_COMMENT, keywords: shell }],
  ["rb ruby", { comment: HASH_COMMENT, keywords: ruby }],
  ["sql", { comment: String.raw`--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)`, keywords: sql }],
  ["json jsonc json5 css scss", { comment: C_COMMENT, keywords: data }],
  ["yaml yml toml ini", { comment: HASH_COMMENT, keywords: data }],
]

const languages = new Map(
  families.flatMap(([names, language]) => names.split(" ").map((name) => [name, language] as const)),
)

/** Longer code is shown without colours. */
const MAX_LENGTH = 200_000

/** The lines of the code, which must have no control characters but line feeds. */
export function highlighted(code: string, name: string | undefined): readonly Line[] {
  const key = (name ?? "").toLowerCase().split(/[\s{,:]/)[0] ?? ""
  if (key === "diff" || key === "patch") return code.split("\n").map(diffLine)
  const language = languages.get(key)
  if (language === undefined || code.length > MAX_LENGTH)
    return code.split("\n").map((text) => [{ text, styles: ["code"] }])
  return splitLines(tokens(code, language, key === "sql"))
}

function tokens(code: string, { comment, keywords }: Language, anyCase: boolean): readonly Span[] {
  const strings = String.raw`"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|${"`"}(?:\\[\s\S]|[^${"`"}\\])*${"`"}?`
  const pattern = new RegExp(
    String.raw`(${comment})|(${strings})|(\b\d[\w.]*)|([A-Za-z_$][\w$]*)|[^\w"'${"`"}\/#-]+|[\s\S]`,
    "g",
  )
  return Array.from(code.matchAll(pattern), ([text, isComment, isString, isNumber, word]): Span => {
    if (isComment !== undefined) return { text, styles: ["comment"] }
    if (isString !== undefined) return { text, styles: ["string"] }
    if (isNumber !== undefined) return { text, styles: ["number"] }
    return { text, styles: word === undefined ? [] : wordStyle(anyCase ? word.toLowerCase() : word, keywords) }
  })
}

function wordStyle(word: string, keywords: ReadonlySet<string>): readonly Style[] {
  if (keywords.has(word)) return ["keyword"]
  return /^[A-Z]\w*[a-z]/.test(word) ? ["type"] : []
}

function splitLines(spans: readonly Span[]): readonly Line[] {
  const lines: Span[][] = [[]]
  for (const { text, styles } of spans)
    for (const [at, part] of text.split("\n").entries()) {
      if (at > 0) lines.push([])
      if (part !== "") lines.at(-1)?.push({ text: part, styles })
    }
  return lines
}

function diffLine(text: string): Line {
  if (text.startsWith("+")) return [{ text, styles: ["added"] }]
  if (text.startsWith("-")) return [{ text, styles: ["removed"] }]
  return [{ text, styles: text.startsWith("@@") ? ["comment"] : ["code"] }]
}
