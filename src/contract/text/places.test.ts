import fc from "fast-check"
import { expect, it } from "vitest"
import { placesIn, placesOf } from "./places.ts"

const text = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 30 })
const piece = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 5 })

it("finds every place of a piece, overlapping ones too", () => {
  fc.assert(
    fc.property(text, piece, (all, wanted) => {
      const expected = Array.from(all).flatMap((_, at) => (all.startsWith(wanted, at) ? [at] : []))
      expect(placesOf(all, wanted)).toEqual(expected)
      expect([...placesIn(Array.from(all), Array.from(wanted))]).toEqual(expected)
    }),
  )
})

it("finds a long piece in a long text of one character in linear time", () => {
  expect(placesOf("a".repeat(2_000_000), "a".repeat(1_000_000))).toHaveLength(1_000_001)
})
