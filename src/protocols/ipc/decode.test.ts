import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  encodeAgentMessage,
  encodeHandshake,
  encodeHandshakeResponse,
  encodeMetadata,
  encodeViewerMessage,
} from "./codec.ts"
import { verdicts, type Verdict } from "../fixtures/verdicts.ts"
import {
  isBlank,
  decodeAgentMessage,
  decodeHandshake,
  decodeHandshakeResponse,
  decodeMetadata,
  decodeViewerMessage,
} from "./codec.ts"

/** The line decoded and encoded again, or undefined when it is rejected. */
function roundTrip({ kind, frame }: Verdict): string | undefined {
  switch (kind) {
    case "viewer_message": {
      const read = decodeViewerMessage(frame)
      return read.kind === "message" ? encodeViewerMessage(read.message) : undefined
    }
    case "agent_message": {
      const read = decodeAgentMessage(frame)
      return read.kind === "message" ? encodeAgentMessage(read.message) : undefined
    }
    case "handshake":
      return written(decodeHandshake(frame), encodeHandshake)
    case "handshake_response":
      return written(decodeHandshakeResponse(frame), encodeHandshakeResponse)
    case "agent_metadata":
      return written(decodeMetadata(frame), encodeMetadata)
    default:
      throw new Error(`no kind for ${frame}`)
  }
}

function written<Shape>(shape: Shape | undefined, encode: (shape: Shape) => string): string | undefined {
  return shape === undefined ? undefined : encode(shape)
}

/** The Rust types keep a score in 32 bits, and zero without a sign. */
function rounded(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (key, member: unknown) => {
    if (typeof member !== "number") return member
    return key === "quality_score" ? Math.fround(member) : member + 0
  })
}

const what = (text: string) => {
  const read = decodeViewerMessage(text)
  return read.kind === "bad" ? read.problem : undefined
}

describe("a line", () => {
  it.each(verdicts("ipc", "verdicts"))("is read as the protocol's own types read it: $kind $frame", (verdict) => {
    const line = roundTrip(verdict)
    expect(line === undefined ? undefined : rounded(JSON.parse(line))).toEqual(
      verdict.accepted ? rounded(verdict.written) : undefined,
    )
  })

  it.each(verdicts("ipc", "stricter"))("is rejected where the original is lenient: $kind $frame", (verdict) => {
    expect([verdict.accepted, roundTrip(verdict)]).toEqual([true, undefined])
  })

  it("never makes decoding throw, and errors do not repeat its content", () => {
    const secret = "s3cr3t-content"
    const anything = fc.oneof(
      fc.json(),
      fc.string({ unit: "binary" }),
      fc.string().map((text) => `{"type":"${text}"`),
    )
    fc.assert(
      fc.property(anything, (text) => {
        for (const read of [decodeViewerMessage, decodeAgentMessage]) {
          const outcome = read(`${text}${secret}`)
          expect(outcome.kind === "message" || !outcome.problem.includes(secret)).toBe(true)
        }
        for (const read of [decodeHandshake, decodeHandshakeResponse, decodeMetadata])
          expect(read(text)).toBeUndefined()
      }),
    )
  })

  it("that is invalid has an error that names the field", () => {
    expect(what('{"type":"user_input"}')).toBe("user_input: must have required property 'content'")
    expect(what('{"type":"detach","exit_when_done":1}')).toBe("detach: exit_when_done must be boolean")
    expect(what('{"type":"user_input","content":"a","content":"b"}')).toBe('duplicate key "content"')
    expect(what('{"type":"nope"}')).toBe("unknown message type")
    expect(what('{"content":"x"}')).toBe("the message has no type")
    expect(what("[]")).toBe("a line must be one JSON object")
    expect(what("{")).toBe("the line is not one JSON value")
  })

  it("with 2.0 for an integer is invalid, and one with 1.0 for a fraction is valid", () => {
    const toast = decodeAgentMessage('{"type":"toast","message":"m","duration_ms":1500.0}')
    expect(toast).toEqual({ kind: "bad", problem: "toast: duration_ms must be integer" })
    expect(decodeAgentMessage('{"type":"tool_progress","name":"n","message":"m","progress":1.0}')).toMatchObject({
      message: { progress: 1 },
    })
  })

  it("with millions of tokens is rejected before it is parsed, and a long string is not", () => {
    expect(what(`{"type":"cancel","x":[${"0,".repeat(4_000_000)}0]}`)).toBe("the line has more than 100000 tokens")
    const content = '[{"a":[]}],'.repeat(1_000_000)
    expect(decodeViewerMessage(JSON.stringify({ type: "user_input", content }))).toMatchObject({ message: { content } })
  })

  it("is blank when it has only white space", () => {
    expect(["", " ", "\t\r", "x"].map(isBlank)).toEqual([true, true, true, false])
  })
})
