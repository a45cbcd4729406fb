import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { shortened, splitText, withVisibleCharacters } from "./text.ts"

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

describe("withVisibleCharacters", () => {
  it("shows what a person would not see as escapes that JSON reads as the same text", () => {
    const hidden = "a\r\u001b\u200b\u202e\u3164\u00a0\u2800\ufe0f\u{e0041}b"
    const shown = withVisibleCharacters(JSON.stringify(hidden))
    expect(shown).toMatch(/^[\x20-\x7e]+$/)
    expect(JSON.parse(shown)).toBe(hidden)
  })

  it("keeps blanks, line ends, letters and signs", () => {
    const text = `a b\n\u65e5\u672c ${smile} \u00e9`
    expect(withVisibleCharacters(text)).toBe(text)
  })
})
