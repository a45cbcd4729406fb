import { expect, it } from "vitest"
import { ago, moment, span } from "./times.ts"

const minute = 60_000

it.for([
  [0, "0 s"],
  [59_999, "59 s"],
  [minute, "1 min"],
  [59 * minute, "59 min"],
  [47 * 60 * minute, "47 h"],
  [48 * 60 * minute, "2 d"],
] as const)("a span of %i ms is %s", ([ms, words]) => {
  expect(span(ms)).toBe(words)
})

it("less than a minute ago is just now", () => {
  expect(ago(30_000)).toBe("just now")
  expect(ago(5 * minute)).toBe("5 min ago")
})

it("a moment is told in local time", () => {
  const at = new Date(2026, 10, 15, 9, 8, 7).getTime()
  expect(moment(at)).toBe("2026-11-15 09:08:07")
})
