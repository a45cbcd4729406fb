import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { verdicts } from "../fixtures/verdicts.ts"
import { decodeCommand, type Decoded, encodeDelta, encodeFrame, type DeltaEvent } from "./codec.ts"

const line = (text: string) => ({ kind: "line", text }) as const
const take = (value: unknown, extended = false): Decoded => decodeCommand(line(JSON.stringify(value)), extended)

describe("a line from the parent", () => {
  it.each(verdicts("rpc", "commands"))("is accepted as by the protocol's own types: $frame", ({ frame, accepted }) => {
    expect(decodeCommand(line(frame), false).kind).toBe(accepted ? "command" : "bad")
  })

  it.each(verdicts("rpc", "lenient"))(
    "is accepted where the original would refuse it: $frame",
    ({ frame, accepted }) => {
      expect([accepted, decodeCommand(line(frame), false).kind]).toEqual([false, "command"])
    },
  )

  it("that is blank is ignored", () => {
    for (const blank of ["", " ", "\t \t", "\u00a0"])
      expect(decodeCommand(line(blank), false)).toEqual({ kind: "blank" })
  })

  it("that is not a command never throws; the error is short and does not repeat it", () => {
    const secret = "s3cr3t-content"
    const anything = fc.oneof(
      fc.json(),
      fc.string(),
      fc.string().map((text) => `{"type":"${text}"`),
    )
    fc.assert(
      fc.property(anything, (text) => {
        const received = decodeCommand(line(`${text}${secret}`), false)
        if (received.kind !== "bad") return
        expect(received.message.length).toBeLessThanOrEqual(200)
        expect(received.message).not.toContain(secret)
      }),
    )
  })

  it("has its id in the error if it has one", () => {
    expect(take({ type: "fly", id: "7" })).toEqual({
      kind: "bad",
      id: "7",
      message: "the type of the frame is unknown",
    })
    expect(take({ type: "prompt", id: "7" })).toMatchObject({ kind: "bad", id: "7" })
    expect(take({ type: "prompt", id: 7, message: "m" })).toMatchObject({ kind: "bad", id: undefined })
    expect(take({ id: "7" })).toMatchObject({ kind: "bad", id: "7" })
  })

  it("is answered with what is wrong", () => {
    expect(decodeCommand({ kind: "too-long", bytes: 2_000_000 }, false)).toMatchObject({
      kind: "bad",
      id: undefined,
      message: expect.stringContaining("1 MiB"),
    })
    expect(decodeCommand({ kind: "not-utf8" }, false)).toMatchObject({ kind: "bad", id: undefined })
    expect(take({ type: "set_model", id: "1", model: 5 })).toMatchObject({ message: expect.stringContaining("model") })
  })

  it("does not accept an inherited property name as a type", () => {
    for (const type of ["__proto__", "constructor", "toString", "hasOwnProperty"])
      expect(take({ type, id: "1" })).toMatchObject({ kind: "bad", id: "1" })
  })

  it("may be half a million levels deep in an unknown field", () => {
    const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`
    expect(decodeCommand(line(`{"type":"get_state","id":"1","x":${deep}}`), false).kind).toBe("command")
  })

  it("has two more commands with --extended", () => {
    const approve = { type: "approve", id: "1", approval_id: "apr_1", approved: true }
    const queue = { type: "queue", id: "1", message: "m" }
    for (const command of [approve, queue]) {
      expect(take(command)).toMatchObject({ kind: "bad", id: "1" })
      expect(take(command, true)).toEqual({ kind: "command", command })
    }
  })
})

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
        const encoded = encodeFrame({ type: "error", id, message })
        expect(encoded).toMatch(/^[ -~]*\n$/)
        expect(JSON.parse(encoded)).toEqual({ type: "error", id: id.toWellFormed(), message: message.toWellFormed() })
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
