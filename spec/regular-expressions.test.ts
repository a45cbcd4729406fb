// Every regular expression of the program takes time in proportion to the text, or meets only text with a bound. Literals
// are found in the syntax trees and analysed for super-linear backtracking; what remains is listed with its bound.
import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parseAst } from "rolldown/parseAst"
import { analyse } from "scslre"
import { expect, it } from "vitest"

const root = fileURLToPath(new URL("../src/", import.meta.url))

/** Literals that are super-linear, by the beginning of their source. */
const bounded: readonly (readonly [file: string, start: string, bound: string])[] = [
  ["knowledge/extract/page-encoding.ts", "<meta\\s", "the first 1,024 bytes of a page"],
  ["knowledge/extract/office/number-formats.ts", "\\[\\$([", "one number format of at most 300 characters"],
  ["knowledge/extract/office/number-formats.ts", '"[^"]*"|', "one number format of at most 300 characters"],
  ["models/offline/demo/summary.ts", "(?:^|[.!?:\\n]\\s*", "the first and last 1,000 characters of a message"],
  ["features/references/entities.ts", "[.,;:!?\"'>\\]}*]+$", "one word of at most 202 characters"],
  ["features/references/entities.ts", "\\)+[.,;:!?]*$", "one word of at most 202 characters"],
  ["tui/state/draft.ts", "\\S+\\s*$", "MAX_WORD characters before the cursor"],
]

/** Files that make regular expressions at run time, and why that is safe. */
const made: readonly (readonly [file: string, why: string])[] = [
  ["contract/text/text.ts", "fixed text; each repetition ends where the next control sequence begins"],
  ["display/highlight.ts", "fixed patterns, each with its own first character; code of at most MAX_LENGTH characters"],
  ["features/references/phrases.ts", "fixed words without repetition, or at most 300 characters before a phrase"],
  ["models/offline/demo/phrases.ts", "fixed words; a message of 2,000 characters"],
  ["secrets/counts-as-secret.ts", "fixed words at the start of a variable's name, without repetition"],
  ["tools/read/binary-kind.ts", "fixed signatures; 32 bytes"],
]

interface Found {
  readonly file: string
  readonly source: string
  readonly flags: string
}

const literals: Found[] = []
const makers = new Set<string>()
for (const file of globSync("**/*.ts", { cwd: root }).toSorted())
  if (!/\.test\.ts$|(?:^|\/)(?:fixtures|testing|generated)\//.test(file))
    visit(file, parseAst(readFileSync(root + file, "utf8"), { lang: "ts" }))

function visit(file: string, node: unknown): void {
  if (typeof node !== "object" || node === null) return
  const regex = Reflect.get(node, "regex")
  if (isPattern(regex)) literals.push({ file, source: regex.pattern, flags: regex.flags })
  if (Reflect.get(Object(Reflect.get(node, "callee")), "name") === "RegExp") makers.add(file)
  for (const child of Object.values(node)) visit(file, child)
}

function isPattern(value: unknown): value is { readonly pattern: string; readonly flags: string } {
  return typeof value === "object" && value !== null && "pattern" in value && "flags" in value
}

function isSuperLinear({ source, flags }: Found): boolean {
  return analyse({ source, flags }, { maxReports: 1 }).reports.length > 0
}

it("finds the regular expressions of the program", () => {
  expect(literals.length).toBeGreaterThan(300)
  expect(isSuperLinear({ file: "", source: "\\s+$", flags: "" })).toBe(true)
  expect(isSuperLinear({ file: "", source: "^(?:a+)+b", flags: "" })).toBe(true)
  expect(isSuperLinear({ file: "", source: "^\\s+", flags: "" })).toBe(false)
})

it("has super-linear literals only where the text is bounded", () => {
  const slow = literals.filter(isSuperLinear)
  const isListed = ({ file, source }: Found) => bounded.some(([at, start]) => at === file && source.startsWith(start))
  expect(slow.filter((found) => !isListed(found))).toEqual([])
  expect(slow).toHaveLength(bounded.length)
})

it("builds regular expressions at run time only in listed, bounded places", () => {
  expect([...makers].toSorted()).toEqual(made.map(([file]) => file))
})
