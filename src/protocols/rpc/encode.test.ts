import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { encodeDelta, encodeFrame, type DeltaEvent } from "./encode.ts"

/** Including halves of surrogate pairs. */
const anyText = fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) })

const deltas = fc.oneof(
  fc.record({ type: fc.constantFrom("text_delta" as const, "thinking_delta" as const), delta: anyText }),
  fc.record({ type: fc.constant("toolcall_input_delta" as const), tool_id: anyText, delta: anyText }),
)

describe("an encoded frame", () => {
  it("is one line of ASCII that decodes to the same, with lone surrogates replaced", () => {
    fc.assert(
      fc.property(anyText, anyText, (id, message) => {
        const line = encodeFrame({ type: "error", id, message })
        expect(line).toMatch(/^[ -~]*\n$/)
        expect(JSON.parse(line)).toEqual({ type: "error", id: id.toWellFormed(), message: message.toWellFormed() })
      }),
    )
  })

  it("of a delta is the same as with the general encoder", () => {
    fc.assert(
      fc.property(deltas, (event: DeltaEvent) => {
        expect(encodeDelta(event)).toBe(encodeFrame({ type: "message_update", event }))
      }),
    )
  })

  it("keeps text that only looks like an escape", () => {
    for (const delta of ["\\ud800", "\\\\ud800", '"\\', "\ud83c\udf88", "\ud800\\ud800"]) {
      expect(JSON.parse(encodeDelta({ type: "text_delta", delta }))).toEqual({
        type: "message_update",
        event: { type: "text_delta", delta: delta.toWellFormed() },
      })
    }
  })

  it("has no lone surrogate in a key either", () => {
    const event = { type: "toolcall_input", tool_id: "c", input: { "\ud800": "\udc00" } } as const
    expect(encodeFrame({ type: "message_update", event })).toContain(String.raw`{"\ufffd":"\ufffd"}`)
  })
})
