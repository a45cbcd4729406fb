import stringWidth from "string-width"
import { expect, it } from "vitest"
import { columnsOf, SINGLE } from "./spans.ts"

it("counts one column only for characters that have one, alone and beside each other", () => {
  const all = Array.from({ length: 0x1_0000 }, (_, code) => String.fromCharCode(code))
  const single = all.filter((character) => character.isWellFormed() && SINGLE.test(character))
  expect(single.filter((character) => stringWidth(character) !== 1)).toEqual([])
  expect(stringWidth(single.join(""))).toBe(single.length)
})

it.each([
  ["日本語", 6],
  ["e\u0301", 1],
  ["👩‍👩‍👧‍👦", 2],
  ["↔️", 2],
  ["── ▓░ … ● é Ж ─", 15],
])("%s takes %i columns", (text, columns) => {
  expect(columnsOf(text)).toBe(columns)
})
