import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { UnsentText } from "./unsent-text.ts"

const smile = "\u{1f600}"
const [firstHalf, secondHalf] = [smile.slice(0, 1), smile.slice(1)]

describe("unsent text of a client", () => {
  it("is each delta, then the rest of the block", () => {
    const text = new UnsentText()
    text.startStep("stp_1")
    expect(text.delta("stp_1", 0, "Hel")).toBe("Hel")
    expect(text.textSoFar("stp_1", 0, "Hello")).toBe("lo")
    expect(text.textSoFar("stp_1", 0, "Hello")).toBe("")
    expect(text.ended("stp_1", 0, "Hello there")).toBe(" there")
    expect(text.delta("stp_1", 1, "Next")).toBe("Next")
    expect([text.sent(0), text.sent(1), text.sent(2)]).toEqual([11, 4, 0])
  })

  it("never ends in half a character", () => {
    const text = new UnsentText()
    expect(text.delta("stp_1", 0, `a${firstHalf}`)).toBe("a")
    expect(text.delta("stp_1", 0, `${secondHalf}b`)).toBe(`${smile}b`)
    expect(text.delta("stp_1", 0, firstHalf)).toBe("")
    expect(text.ended("stp_1", 0, `a${smile}b${smile}`)).toBe(smile)
  })

  it("is empty for a step that is not current", () => {
    const text = new UnsentText()
    text.startStep("stp_2")
    expect(text.delta("stp_1", 0, "late")).toBe("")
    expect(text.textSoFar("stp_1", 0, "late")).toBe("")
    expect(text.delta("stp_2", 0, "now")).toBe("now")
  })

  it("starts with the first step seen", () => {
    const text = new UnsentText()
    expect(text.textSoFar("stp_1", 0, "so far")).toBe("so far")
    expect(text.delta("stp_2", 0, "other")).toBe("")
  })

  it("is the whole text of a step of which no delta was seen", () => {
    const text = new UnsentText()
    text.startStep("stp_1")
    text.delta("stp_1", 0, "Hello")
    expect(text.ended("stp_2", 0, "Bye")).toBe("Bye")
  })

  it("is empty for a block of which more was sent than remains after a crash", () => {
    const text = new UnsentText()
    text.delta("stp_1", 0, "Hello there")
    expect(text.ended("stp_1", 0, "Hello")).toBe("")
    expect(text.sent(0)).toBe(5)
  })

  it("is sent once, for any mix of deltas and text so far", () => {
    const piece = fc.constantFrom("", "a", "bc", smile, firstHalf, secondHalf, `x${firstHalf}`)
    const pieces = fc.array(fc.record({ piece, isSoFar: fc.boolean() }), { maxLength: 12 })
    fc.assert(
      fc.property(pieces, (parts) => {
        const text = new UnsentText()
        let [whole, sent] = ["", ""]
        for (const { piece: next, isSoFar } of parts) {
          whole += next
          sent += isSoFar ? text.textSoFar("stp_1", 0, whole) : text.delta("stp_1", 0, next)
          expect(whole.startsWith(sent)).toBe(true)
        }
        expect(sent + text.ended("stp_1", 0, whole)).toBe(whole)
      }),
    )
  })
})
