import fc from "fast-check"
import { expect, it } from "vitest"
import { highlighted } from "./highlight.ts"
import { lineText } from "./spans.ts"

const styles = (code: string, language: string) =>
  highlighted(code, language).map((line) =>
    line.flatMap(({ text, styles: [style] }) => (style === undefined ? [] : [`${style} ${text}`])),
  )

it.each([
  ["ts", 'const a = "b" // c', ["keyword const", 'string "b"', "comment // c"]],
  ["python", "def f(): # x", ["keyword def", "comment # x"]],
  ["bash", 'echo "$#" 3', ["keyword echo", 'string "$#"', "number 3"]],
  ["sql", "SELECT 1 -- all", ["keyword SELECT", "number 1", "comment -- all"]],
  ["diff", "+ a", ["added + a"]],
  ["", "const a", ["code const a"]],
])("colours %s: %j", (language, code, expected) => {
  expect(styles(code, language)).toEqual([expected])
})

it("continues a comment over lines", () => {
  expect(styles("a /* b\nc */ d", "js")).toEqual([["comment /* b"], ["comment c */"]])
})

it("keeps every character of the code", () => {
  const code = fc.string({ unit: fc.constantFrom("a", '"', "'", "`", "/", "*", "#", "-", "\n", " ", "1", "\\", "日") })
  fc.assert(
    fc.property(code, fc.constantFrom("ts", "py", "sql", "diff", "none"), (text, language) => {
      expect(highlighted(text, language).map(lineText).join("\n")).toBe(text)
    }),
  )
})
