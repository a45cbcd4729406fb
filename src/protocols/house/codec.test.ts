import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { checkedCommand, checkedQuery, decodeClientFrame, decodeHostFrame, encodeItem } from "./codec.ts"
import { houseVersions, versionProblem } from "./limits.ts"
import type { WatchItem } from "../../contract/host-port.ts"
import { encodeEvent } from "../../contract/stored-event.ts"

const sessionId = "01890000-0000-7000-8000-000000000001"
const id = fc.string({ minLength: 1, maxLength: 100 })
const cursor = fc.nat()
/** Without values that JSON cannot represent, such as minus zero. */
const json = fc.jsonValue().map((value): unknown => JSON.parse(JSON.stringify(value)))

const clientFrame = fc.oneof(
  fc.record({ type: fc.constant("hello"), version: fc.integer(), door: fc.string({ maxLength: 40 }) }),
  fc.record({ type: fc.constant("query"), id, query: json }),
  fc.record({ type: fc.constant("open"), id, sessionId: fc.constant(sessionId), cursor }),
  fc.record({
    type: fc.constant("open"),
    id,
    sessionId: fc.constant(sessionId),
    snapshot: fc.record({ turns: fc.integer({ min: 1, max: 1000 }) }),
  }),
  fc.record({
    type: fc.constant("create"),
    id,
    wish: fc.record({ cwd: fc.string({ minLength: 1 }), origin: fc.string({ minLength: 1, maxLength: 50 }) }),
    env: fc.record({ PATH: fc.string() }),
  }),
  fc.record({ type: fc.constant("send"), id, sessionId: fc.constant(sessionId), command: json }),
  fc.record({ type: fc.constant("close"), sessionId: fc.constant(sessionId) }),
)

const hostFrame = fc.oneof(
  fc.record({
    type: fc.constant("hello"),
    version: fc.integer(),
    host: fc.string(),
    role: fc.string(),
    release: fc.string(),
    pid: fc.nat(),
  }),
  fc.record({ type: fc.constant("answer"), id, value: json }),
  fc.record({ type: fc.constant("refused"), id, refusal: json }),
  fc.record({ type: fc.constant("event"), sessionId: fc.constant(sessionId), seq: fc.nat(), event: json }),
  fc.record({ type: fc.constant("delta"), sessionId: fc.constant(sessionId), delta: json }),
  fc.record({
    type: fc.constant("streamed"),
    sessionId: fc.constant(sessionId),
    stepId: fc.string().map((rest) => `stp_${rest}`),
    blocks: fc.array(fc.record({ block: fc.nat(), kind: fc.constantFrom("text", "reasoning"), text: fc.string() })),
  }),
  fc.record({ type: fc.constant("gap"), sessionId: fc.constant(sessionId), cursor }),
  fc.record({ type: fc.constant("closed"), sessionId: fc.constant(sessionId), refusal: json }),
)

describe("frames of the house wire", () => {
  it("of a client decode to what was encoded", () => {
    fc.assert(
      fc.property(clientFrame, (frame) => {
        expect(decodeClientFrame(JSON.stringify(frame))).toEqual({ kind: "frame", frame })
      }),
    )
  })

  it("of a host decode to what was encoded", () => {
    fc.assert(
      fc.property(hostFrame, (frame) => {
        expect(decodeHostFrame(JSON.stringify(frame))).toEqual({ kind: "frame", frame })
      }),
    )
  })

  it("may have unknown fields", () => {
    const frame = { type: "close", sessionId, why: "a newer client says so" }
    expect(decodeClientFrame(JSON.stringify(frame))).toEqual({ kind: "frame", frame })
  })
})

describe("a line that is not a frame", () => {
  it("never throws, whatever it holds", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          json.map((value) => JSON.stringify(value)),
          broken(),
        ),
        (text) => {
          expect(["frame", "bad"]).toContain(decodeClientFrame(text).kind)
          expect(["frame", "bad"]).toContain(decodeHostFrame(text).kind)
        },
      ),
    )
  })

  it("is never a command or a query, and its error is short", () => {
    fc.assert(
      fc.property(json, (value) => {
        for (const checked of [checkedCommand(value), checkedQuery(value)]) {
          expect(checked.kind).toBe("bad")
          expect(checked.kind === "bad" && checked.problem.length).toBeLessThan(1000)
        }
      }),
    )
  })

  it.each([
    ["text that is not JSON", "not json", undefined, "a line must be one JSON object"],
    ["a number", "5", undefined, "a line must be one JSON object"],
    ["an unknown type", '{"type":"dance","id":"7"}', "7", "'dance' is not a frame type"],
    ["no type", '{"id":"7"}', "7", "a value without a type"],
    ["missing fields", '{"type":"open","id":"7"}', "7", "the frame open is incomplete"],
    ["an invalid id", '{"type":"open","id":7}', undefined, "the frame open is incomplete"],
    ["the name of an inherited property", '{"type":"constructor"}', undefined, "is not a frame type"],
  ])("with %s is answered with what is wrong", (_, text, wanted, what) => {
    expect(decodeClientFrame(text)).toMatchObject({ kind: "bad", id: wanted, problem: expect.stringContaining(what) })
  })
})

describe("a command", () => {
  it("with missing fields is answered with their names", () => {
    const checked = checkedCommand({ type: "prompt", text: "hi" })
    expect(checked).toMatchObject({ kind: "bad", problem: expect.stringMatching(/promptId.*ifBusy/) })
  })

  it("of an unknown type is named in the error", () => {
    expect(checkedCommand({ type: "dance" })).toEqual({ kind: "bad", problem: "'dance' is not a session command" })
  })
})

/** Frames with a part cut out of the middle. */
function broken() {
  return fc
    .tuple(fc.oneof(clientFrame, hostFrame), fc.nat(), fc.nat())
    .map(([frame, from, count]: [object, number, number]) => {
      const text = JSON.stringify(frame)
      const start = from % text.length
      return text.slice(0, start) + text.slice(start + (count % 20))
    })
}

describe("versions of the house wire", () => {
  it("are at most two: the newest and the previous one", () => {
    expect(houseVersions.length).toBeLessThanOrEqual(2)
    expect(houseVersions).toEqual(houseVersions.toSorted((one, other) => other - one))
  })

  it("are listed in the refusal of an unknown one", () => {
    expect(versionProblem(2, [3, 2])).toBeUndefined()
    expect(versionProblem(1, [3, 2])).toBe("this host speaks versions 3 and 2 of the house wire, not 1")
    expect(versionProblem(99, [1])).toBe("this host speaks version 1 of the house wire, not 99")
  })
})

const recorded = { seq: 7, at: 1, event: { type: "text.ended", stepId: "stp_1", block: 0, text: "„hello“\n" } } as const

function textOf(item: WatchItem): string {
  return Buffer.from(encodeItem(sessionId, item)).toString()
}

describe("an item of a session", () => {
  it("is encoded once for all clients", () => {
    const item: WatchItem = { kind: "event", recorded }
    expect(encodeItem(sessionId, item)).toBe(encodeItem(sessionId, item))
  })

  it("carries an event as the text that is stored", () => {
    expect(textOf({ kind: "event", recorded })).toBe(
      `{"type":"event","sessionId":"${sessionId}","seq":7,"event":${encodeEvent(recorded)}}\n`,
    )
  })

  it.each<WatchItem>([
    { kind: "event", recorded },
    { kind: "delta", delta: { type: "text.delta", stepId: "stp_1", block: 0, delta: "a\nb" } },
    { kind: "streamed", stepId: "stp_1", blocks: [{ block: 0, kind: "text", text: "so far" }] },
    { kind: "lost", refusal: { code: "host.gone" } },
  ])("is one line with one frame: $kind", (item) => {
    const text = textOf(item)
    expect(text.indexOf("\n")).toBe(text.length - 1)
    expect(decodeHostFrame(text)).toMatchObject({ kind: "frame", frame: { sessionId } })
  })
})
