import { expect, it } from "vitest"
import { columns, indented } from "./output.ts"
import { ago, exactArguments, moment, span } from "../display/format.ts"

it("makes columns as wide as their widest cell, without trailing spaces", () => {
  expect(
    columns([
      ["ID", "TITLE"],
      ["long id", ""],
      ["x", "y"],
    ]),
  ).toEqual(["ID       TITLE", "long id", "x        y"])
})

it("returns no lines for no rows", () => {
  expect(columns([])).toEqual([])
})

const minute = 60_000

it.for([
  [0, "0 s"],
  [59_999, "59 s"],
  [minute, "1 min"],
  [59 * minute, "59 min"],
  [47 * 60 * minute, "47 h"],
  [48 * 60 * minute, "2 d"],
] as const)("shows a span of %i ms as %s", ([ms, text]) => {
  expect(span(ms)).toBe(text)
})

it("shows less than a minute ago as just now", () => {
  expect(ago(30_000)).toBe("just now")
  expect(ago(5 * minute)).toBe("5 min ago")
})

it("shows a moment in local time", () => {
  const at = new Date(2026, 10, 15, 9, 8, 7).getTime()
  expect(moment(at)).toBe("2026-11-15 09:08:07")
})

it("shows all arguments, however long", () => {
  const input = { path: "a.txt", content: "x".repeat(50_000) }
  expect(JSON.parse(exactArguments(input))).toEqual(input)
})

it("escapes characters that a terminal would hide or reverse", () => {
  const command = "rm \u202ecod.\u200b/\u0007 \u2028 \u009b31m \u{e0041} \ud800"
  const shown = exactArguments({ command })
  expect(shown).toContain(String.raw`rm \u202ecod.\u200b/\u0007 \u2028 \u009b31m \udb40\udc41 \ud800`)
  expect(JSON.parse(shown)).toEqual({ command })
})

it("keeps printable text of any language", () => {
  expect(exactArguments("größer 東京 😀", 0)).toBe('"größer 東京 😀"')
})

it("indents every line", () => {
  expect(indented("a\nb", 2)).toBe("  a\n  b")
})
