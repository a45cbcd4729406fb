import { expect, it } from "vitest"
import { exactArguments, indented } from "./exact-arguments.ts"

it("shows all of the arguments, however long", () => {
  const input = { path: "a.txt", content: "x".repeat(50_000) }
  expect(JSON.parse(exactArguments(input))).toEqual(input)
})

it("shows what a terminal would hide or turn around by its number", () => {
  const command = "rm \u202ecod.\u200b/\u0007 \u2028 \u009b31m \u{e0041} \ud800"
  const shown = exactArguments({ command })
  expect(shown).toContain(String.raw`rm \u202ecod.\u200b/\u0007 \u2028 \u009b31m \udb40\udc41 \ud800`)
  expect(JSON.parse(shown)).toEqual({ command })
})

it("leaves ordinary text of any language as it is", () => {
  expect(exactArguments("größer 東京 😀", 0)).toBe('"größer 東京 😀"')
})

it("indents every line", () => {
  expect(indented("a\nb", 2)).toBe("  a\n  b")
})
