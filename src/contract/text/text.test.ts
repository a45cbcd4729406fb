import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { shortened, splitText } from "./text.ts"

const smile = "\u{1f600}"

describe("shortened", () => {
  it("keeps a text that fits, and cuts a longer one between two characters", () => {
    expect(shortened("abc", 3)).toBe("abc")
    expect(shortened("abcd", 3)).toBe("abc…")
    expect(shortened(`ab${smile}`, 3)).toBe("ab…")
  })
})

describe("splitText", () => {
  it("returns pieces within the limit that join to the text and split no character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 2, max: 5 }), (text, max) => {
        const pieces = splitText(text, max)
        expect(pieces.join("")).toBe(text)
        expect(pieces.every((piece) => piece.length <= max && piece !== "" && piece.isWellFormed())).toBe(true)
      }),
    )
  })

  it("terminates even if no character fits", () => {
    expect(splitText(smile, 1)).toHaveLength(2)
  })
})
