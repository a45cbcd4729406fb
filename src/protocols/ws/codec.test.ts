import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { actions } from "./actions.ts"
import { decodeFrame, encodeFrame } from "./codec.ts"
import { tokenEvent } from "./server-events.ts"

const errorOf = (text: string) => {
  const decoded = decodeFrame(text)
  return decoded.kind === "error" ? { code: decoded.error.code, requestId: decoded.requestId } : undefined
}

describe("decodeFrame", () => {
  it.each(["", "{", "nonsense", "[]", "null", "7", '"ping"', '[{"action":"ping"}]'])(
    "refuses a frame that is not a JSON object, without a request id: %s",
    (text) => {
      expect(errorOf(text)).toEqual({ code: "VALIDATION_ERROR", requestId: undefined })
    },
  )

  it.each(["{}", '{"action":7}', '{"action":null}', '{"action":["ping"]}'])(
    "refuses an action that is not a string: %s",
    (text) => {
      expect(errorOf(text)?.code).toBe("VALIDATION_ERROR")
    },
  )

  it("returns the request id of a refused frame only if it is a non-empty string", () => {
    expect(errorOf('{"requestId":"a"}')?.requestId).toBe("a")
    expect(errorOf('{"requestId":7}')).toEqual({ code: "VALIDATION_ERROR", requestId: undefined })
    expect(errorOf('{"requestId":""}')).toEqual({ code: "VALIDATION_ERROR", requestId: undefined })
  })

  it("refuses an unknown action with UNSUPPORTED_ACTION; names are case-sensitive", () => {
    expect(errorOf('{"action":"Ping","requestId":"a"}')).toEqual({ code: "UNSUPPORTED_ACTION", requestId: "a" })
    expect(errorOf('{"action":"__proto__"}')?.code).toBe("UNSUPPORTED_ACTION")
  })

  it("refuses a request id that would be too long to repeat in every frame", () => {
    const text = JSON.stringify({ action: "ping", requestId: "x".repeat(1001) })
    expect(errorOf(text)).toEqual({ code: "VALIDATION_ERROR", requestId: undefined })
  })

  it.each(Object.keys(actions))("accepts the action %s with other fields", (action) => {
    expect(decodeFrame(JSON.stringify({ action, requestId: "a", more: 1 }))).toMatchObject({
      kind: "action",
      action: { action, requestId: "a" },
    })
  })

  it("ignores a request id that is not a string", () => {
    expect(decodeFrame('{"action":"ping","requestId":7}')).toMatchObject({ action: { requestId: undefined } })
  })

  it("refuses a frame by the number of its values, not by its length", () => {
    const frame = (metadata: string) => `{"action":"ping","requestId":"a","metadata":[${metadata}1]}`
    expect(errorOf(frame("{},".repeat(200_000)))?.code).toBe("VALIDATION_ERROR")
    expect(errorOf(frame(`"${"{},".repeat(200_000)}",`))).toBeUndefined()
  })
})

describe("encodeFrame", () => {
  it("writes a token event as its JSON, for any token and request id", () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: "binary" }),
      fc.constantFrom('"', "\\", "\u2028", "\ud83d", "😀"),
    )
    const types = fc.constantFrom("stream_token" as const, "stream_reasoning" as const)
    fc.assert(
      fc.property(types, text, text, fc.nat(), (type, requestId, token, now) => {
        const event = tokenEvent(type, requestId, token, now)
        expect(encodeFrame(event)).toBe(JSON.stringify(event))
      }),
    )
  })

  it("writes well-formed UTF-8 for a token with half a surrogate pair", () => {
    expect(encodeFrame(tokenEvent("stream_token", "r", "\ud83d", 1)).isWellFormed()).toBe(true)
  })
})
