import { describe, expect, it } from "vitest"
import { decodeEvent, decodeParsed, encodeEvent } from "./stored-event.ts"

const recorded = { seq: 7, at: 1, event: { type: "text.ended", stepId: "stp_1", block: 0, text: "hello" } } as const

describe("a stored event", () => {
  it("reads back as it was written", () => {
    expect(decodeEvent(encodeEvent(recorded))).toEqual({ kind: "event", recorded })
  })

  it("reads the same inside other JSON", () => {
    const { event }: { event: unknown } = JSON.parse(`{"event":${encodeEvent(recorded)}}`)
    expect(decodeParsed(event)).toEqual({ kind: "event", recorded })
    expect(decodeParsed(undefined).kind).toBe("broken")
  })

  it("of a newer version is refused, not misread", () => {
    const newer = encodeEvent(recorded).replace('"v":1', '"v":2')
    expect(decodeEvent(newer)).toEqual({ kind: "newer", type: "text.ended", version: 2, known: 1 })
  })

  it("of an unknown type is refused as newer", () => {
    const unknown = encodeEvent(recorded).replace("text.ended", "song.ended")
    expect(decodeEvent(unknown)).toEqual({ kind: "newer", type: "song.ended", version: 1, known: 0 })
  })

  it.each([
    ["cut off", encodeEvent(recorded).slice(0, -4)],
    ["not an object", "5"],
    ["without a place", '{"v":1,"at":1,"type":"text.ended"}'],
    ["at a place that is no number", '{"seq":1e400,"at":1,"v":1,"type":"session.kept"}'],
    ["without a type", '{"seq":1,"at":1,"v":1}'],
    ["without a required member", encodeEvent(recorded).replace('"text":"hello"', '"txt":"hello"')],
    ["named like a member of every object", '{"seq":1,"at":1,"v":0,"type":"constructor"}'],
  ])("that is %s is broken", (_, stored) => {
    expect(decodeEvent(stored).kind).toBe("broken")
  })
})
