import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { encodeAgent, encodeHandshake, encodeHandshakeResponse, encodeMetadata, encodeViewer } from "./encode.ts"
import { verdicts, type Verdict } from "./fixtures/verdicts.ts"
import {
  isBlank,
  readAgentMessage,
  readHandshake,
  readHandshakeResponse,
  readMetadata,
  readViewerMessage,
} from "./codec.ts"

/** The line read and written again, or undefined when it is refused. */
function trip({ kind, frame }: Verdict): string | undefined {
  switch (kind) {
    case "viewer_message": {
      const read = readViewerMessage(frame)
      return read.kind === "message" ? encodeViewer(read.message) : undefined
    }
    case "agent_message": {
      const read = readAgentMessage(frame)
      return read.kind === "message" ? encodeAgent(read.message) : undefined
    }
    case "handshake":
      return written(readHandshake(frame), encodeHandshake)
    case "handshake_response":
      return written(readHandshakeResponse(frame), encodeHandshakeResponse)
    case "agent_metadata":
      return written(readMetadata(frame), encodeMetadata)
  }
}

function written<Shape>(shape: Shape | undefined, encode: (shape: Shape) => string): string | undefined {
  return shape === undefined ? undefined : encode(shape)
}

/** The types keep a score in 32 bits, and give a zero no sign. */
function rounded(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (key, member: unknown) => {
    if (typeof member !== "number") return member
    return key === "quality_score" ? Math.fround(member) : member + 0
  })
}

const what = (text: string) => {
  const read = readViewerMessage(text)
  return read.kind === "bad" ? read.what : undefined
}

describe("a line", () => {
  it.each(verdicts("verdicts"))("is read as the protocol's own types read it: $kind $frame", (verdict) => {
    const line = trip(verdict)
    expect(line === undefined ? undefined : rounded(JSON.parse(line))).toEqual(
      verdict.accepted ? rounded(verdict.written) : undefined,
    )
  })

  it.each(verdicts("stricter"))("is refused where the original looks away: $kind $frame", (verdict) => {
    expect([verdict.accepted, trip(verdict)]).toEqual([true, undefined])
  })

  it("never makes a reader throw, and what was sent is not repeated", () => {
    const secret = "s3cr3t-content"
    const anything = fc.oneof(
      fc.json(),
      fc.string({ unit: "binary" }),
      fc.string().map((text) => `{"type":"${text}"`),
    )
    fc.assert(
      fc.property(anything, (text) => {
        for (const read of [readViewerMessage, readAgentMessage]) {
          const outcome = read(`${text}${secret}`)
          expect(outcome.kind === "message" || !outcome.what.includes(secret)).toBe(true)
        }
        for (const read of [readHandshake, readHandshakeResponse, readMetadata]) expect(read(text)).toBeUndefined()
      }),
    )
  })

  it("that is bad is answered with the name of the field", () => {
    expect(what('{"type":"user_input"}')).toBe("user_input: must have required property 'content'")
    expect(what('{"type":"detach","exit_when_done":1}')).toBe("detach: exit_when_done must be boolean")
    expect(what('{"type":"user_input","content":"a","content":"b"}')).toBe('the key "content" stands twice')
    expect(what('{"type":"nope"}')).toBe("the type of the message is unknown")
    expect(what('{"content":"x"}')).toBe("the message has no type")
    expect(what("[]")).toBe("a line must be one JSON object")
    expect(what("{")).toBe("the line is not one JSON value")
  })

  it("that has 2.0 for an integer is bad, and one with 1.0 for a fraction is not", () => {
    const toast = readAgentMessage('{"type":"toast","message":"m","duration_ms":1500.0}')
    expect(toast).toEqual({ kind: "bad", what: "toast: duration_ms must be integer" })
    expect(readAgentMessage('{"type":"tool_progress","name":"n","message":"m","progress":1.0}')).toMatchObject({
      message: { progress: 1 },
    })
  })

  it("of millions of parts is refused before it is parsed, and a long text is not", () => {
    expect(what(`{"type":"cancel","x":[${"0,".repeat(4_000_000)}0]}`)).toBe("the line has more than 100000 parts")
    const content = '[{"a":[]}],'.repeat(1_000_000)
    expect(readViewerMessage(JSON.stringify({ type: "user_input", content }))).toMatchObject({ message: { content } })
  })

  it("is blank when there is nothing to see in it", () => {
    expect(["", " ", "\t\r", "x"].map(isBlank)).toEqual([true, true, true, false])
  })
})
