import { expect, it } from "vitest"
import { spoken } from "./spoken.ts"

it.each([
  ["# Your **order** is `on its way`", " Your order is on its way"],
  ["_soon_ or __now__ (_late_)", "soon or now (late)"],
  ["set API_KEY or call a__b", "set API_KEY or call a__b"],
])("reads %j out without its marks", (markdown, text) => {
  expect(spoken(markdown)).toBe(text)
})

it("reads out the beginning of a long answer", () => {
  expect(spoken("a".repeat(5000))).toHaveLength(2000)
})
