import { describe, expect, it } from "vitest"
import { checks } from "./generated/frames.js"
import { readInitializeResult } from "./handshake.ts"
import * as events from "./hook-events.ts"
import { decodeBody, encodeRequest, encodeResponse } from "../json-rpc.ts"
import { truncateOutput } from "./hook-events.ts"

const depth = 128

const tool = { name: "ext_echo", runtimeName: "ext:echo", input: { text: "hi" } }
const nine = [
  "data",
  "kind",
  "message",
  "session_id",
  "tool_input",
  "tool_name",
  "tool_output",
  "tool_runtime_name",
  "transcript",
]

describe("a hook event", () => {
  it.for([
    [events.beforeToolCall(tool, "s"), { kind: "before_tool_call", tool_input: { text: "hi" }, tool_output: null }],
    [
      events.afterToolCall(tool, "out", "s"),
      { kind: "after_tool_call", tool_runtime_name: "ext:echo", tool_output: "out" },
    ],
    [events.beforeMessage("m", null), { kind: "before_message", message: "m", session_id: null, tool_name: null }],
    [
      events.onMessageComplete({ text: "", blocks: 2, hasToolUse: true }, "s"),
      { kind: "on_message_complete", message: "", data: { content_block_count: 2, has_tool_use: true } },
    ],
    [
      events.onCompaction({ summary: "sum", messages: 7, source: "manual" }, "s"),
      {
        kind: "on_compaction",
        message: "sum",
        session_id: "s",
        data: { old_session_id: "s", new_session_id: "s", message_count: 7, source: "manual" },
      },
    ],
    [events.onSessionStart("s"), { kind: "on_session_start", session_id: "s", transcript: null }],
    [
      events.onSessionEnd("s", [{ role: "user", content: "hi" }]),
      { kind: "on_session_end", transcript: [{ role: "user", content: "hi" }] },
    ],
    [events.onUsage({ model: "m" }, "s"), { kind: "on_usage", data: { model: "m" } }],
  ] as const)("has nine members, null where unused: %o (case 63)", ([event, expected]) => {
    expect(Object.keys(event)).toEqual(nine)
    expect(event).toMatchObject(expected)
    expect(checks.event(event)).toBe(true)
  })
})

describe("the output of a tool in a hook event", () => {
  it.for([
    ["one byte too many", "a".repeat(32_769), 32_768],
    ["a character across the limit (case 58)", `${"a".repeat(32_767)}é`, 32_767],
    ["a longer character across the limit", `${"a".repeat(32_766)}😀`, 32_766],
    ["a character behind the limit", `${"a".repeat(32_768)}é`, 32_768],
    ["only characters of three bytes", "€".repeat(10_923), 32_766],
  ] as const)("is cut with %s", ([, output, kept]) => {
    const cut = truncateOutput(output)
    const [prefix = "", marker] = cut.split("…")
    expect(Buffer.byteLength(prefix)).toBe(kept)
    expect(output.startsWith(prefix)).toBe(true)
    expect(marker).toBe(`[truncated, ${Buffer.byteLength(output)} total bytes]`)
  })

  it("is not cut at exactly 32 KiB (case 59)", () => {
    const output = "é".repeat(16_384)
    expect(truncateOutput(output)).toBe(output)
  })

  it("has no lone surrogates", () => {
    expect(truncateOutput("a\ud83d")).toBe("a\ufffd")
  })
})

describe("bodies", () => {
  it("to an extension are ASCII with members in a fixed order", () => {
    const body = encodeRequest(3, "hook.handle", { message: "é 😀" })
    expect(body).toBe(
      String.raw`{"jsonrpc":"2.0","method":"hook.handle","params":{"message":"\u00e9 \ud83d\ude00"},"id":3}`,
    )
    expect(encodeResponse("x", { kind: "result", value: { ok: true } })).toBe(
      '{"jsonrpc":"2.0","result":{"ok":true},"id":"x"}',
    )
  })

  it.for([
    ['{"id":1,"result":{"a":1}}', { kind: "answer", id: 1, answer: { kind: "result", value: { a: 1 } } }],
    ['{"id":1}', { kind: "answer", id: 1, answer: { kind: "result", value: null } }],
    ['{"id":1,"error":null,"result":5}', { kind: "answer", id: 1, answer: { kind: "result", value: 5 } }],
    [
      '{"id":1,"error":{"code":-1,"message":"m"}}',
      { kind: "answer", id: 1, answer: { kind: "error", code: -1, message: "m" } },
    ],
    ['{"id":1,"error":"m"}', { kind: "answer", id: 1, answer: { kind: "error", code: 0, message: '"m"' } }],
    ['{"id":"a","method":"m","params":[]}', { kind: "call", id: "a", method: "m", params: [] }],
    ['{"method":"m"}', { kind: "notice", method: "m", params: null }],
    ['{"id":"1","result":1}', { kind: "nothing" }],
    ['{"id":1.5,"result":1}', { kind: "nothing" }],
    ['{"id":null,"result":1}', { kind: "nothing" }],
    ["[]", { kind: "nothing" }],
    ["null", { kind: "nothing" }],
    ["{", { kind: "not-json" }],
    ["", { kind: "not-json" }],
  ] as const)("from an extension are classified: %s", ([body, expected]) => {
    expect(decodeBody(body)).toEqual(expected)
  })
})

describe("a deeply nested body", () => {
  const nested = (levels: number) => `{"id":1,"error":${"[".repeat(levels)}${"]".repeat(levels)}}`

  it("is accepted up to a limit", () => {
    expect(decodeBody(nested(depth - 1), depth)).toMatchObject({ kind: "answer" })
    expect(decodeBody(nested(depth), depth)).toEqual({ kind: "too-deep" })
  })

  it("is detected without a stack overflow", () => {
    expect(decodeBody(nested(500_000), depth)).toEqual({ kind: "too-deep" })
  })
})

describe("the tools of an extension", () => {
  const good = { name: "echo", description: "repeats it", input_schema: {} }
  const initialize = (...tools: readonly object[]) =>
    readInitializeResult(JSON.parse(JSON.stringify({ protocol_version: 1, capabilities: { tools } })), {
      version: 1,
      permissions: new Set(["tools.register"]),
      config: {},
    })

  it("are accepted when they are valid", () => {
    expect(initialize(good)).toEqual({ kind: "initialized", tools: [good], providers: [] })
  })

  it.for([
    ["a colon in a name", [{ ...good, name: "a:b" }]],
    ["a space in a name", [{ ...good, name: "a b" }]],
    ["a name of 65 characters", [{ ...good, name: "a".repeat(65) }]],
    ["no name", [{ ...good, name: "" }]],
    ["a blank description", [{ ...good, description: " " }]],
    ["the same name twice", [good, good]],
    ["a schema that is a list", [{ ...good, input_schema: [] }]],
  ] as const)("fail the handshake with %s (case 53)", ([, tools]) => {
    expect(initialize(...tools)).toMatchObject({ kind: "refused" })
  })
})
