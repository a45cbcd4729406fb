import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { encode, word } from "./server-events.ts"

describe("a frame with words", () => {
  it("is the JSON of its event, whatever the words and the id are", () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: "binary" }),
      fc.constantFrom('"', "\\", "\u2028", "\ud83d", "😀"),
    )
    const voice = fc.constantFrom("stream_token" as const, "stream_reasoning" as const)
    fc.assert(
      fc.property(voice, text, text, fc.nat(), (type, requestId, token, now) => {
        const event = word(type, requestId, token, now)
        expect(encode(event)).toBe(JSON.stringify(event))
      }),
    )
  })

  it("can be sent as UTF-8 also when it holds half of a pair", () => {
    expect(encode(word("stream_token", "r", "\ud83d", 1)).isWellFormed()).toBe(true)
  })
})
