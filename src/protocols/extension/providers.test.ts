import { describe, expect, it } from "vitest"
import type { JsonValue } from "../../contract/values.ts"
import { readInitializeResult } from "./handshake.ts"
import { readProviderResult, readStreamEvent } from "./providers.ts"

const model = { id: "small" }
const good = { id: "demo", display_name: "Demo", description: "answers", models: [model] }

function initialize(providers: JsonValue, permissions = ["providers.register"], config = {}) {
  const result = { protocol_version: 1, capabilities: { providers } }
  return readInitializeResult(result, { version: 1, permissions: new Set(permissions), config })
}

describe("the providers of an extension", () => {
  it.for([
    ["only required members", good],
    [
      "all members",
      { ...good, models: [{ id: "a/b.c", display_name: "B", capabilities: { streaming: true }, context_window: 9 }] },
    ],
    [
      "null for optional members",
      {
        ...good,
        config_schema: null,
        models: [{ ...model, display_name: null, capabilities: null, context_window: null }],
      },
    ],
    ["unknown members", { ...good, more: 1, models: [{ ...model, more: 1, capabilities: { thinking: "yes" } }] }],
    ["a schema without required settings", { ...good, config_schema: { type: "object", properties: { key: {} } } }],
  ] as const)("are accepted with %s", ([, provider]) => {
    expect(initialize([provider])).toEqual({ kind: "initialized", tools: [], providers: [provider] })
  })

  it("need a permission", () => {
    const reason = "it registers providers without the permission providers.register"
    expect(initialize([good], ["tools.register"])).toEqual({ kind: "refused", reason })
    expect(initialize([], [])).toMatchObject({ kind: "initialized" })
  })

  it.for([
    ["no id", [{ ...good, id: "" }], "is not a valid provider id"],
    ["upper-case letters in an id", [{ ...good, id: "Demo" }], "is not a valid provider id"],
    ["a colon in an id", [{ ...good, id: "a:b" }], "is not a valid provider id"],
    ["a blank name", [{ ...good, display_name: " " }], "no display_name"],
    ["no name", [{ ...good, display_name: undefined }], "display_name"],
    ["a blank description", [{ ...good, description: " " }], "no description"],
    ["no description", [{ ...good, description: undefined }], "description"],
    ["no list of models", [{ ...good, models: undefined }], "models"],
    ["no models", [{ ...good, models: [] }], "has no models"],
    ["a model without an id", [{ ...good, models: [{ id: "" }] }], "is not a valid model id"],
    ["a model with a colon", [{ ...good, models: [{ id: "a:b" }] }], "is not a valid model id"],
    ["a model with a space", [{ ...good, models: [{ id: "a b" }] }], "is not a valid model id"],
    ["a model with a name of 65 bytes", [{ ...good, models: [{ id: "a".repeat(65) }] }], "is not a valid model id"],
    ["the same model twice", [{ ...good, models: [model, model] }], "twice"],
    ["the same provider twice", [good, good], "twice"],
    [
      "a context window that is not a number",
      [{ ...good, models: [{ ...model, context_window: "9" }] }],
      "context_window",
    ],
    ["a model that is a string", [{ ...good, models: ["small"] }], "models/0"],
    ["a schema that is a list", [{ ...good, config_schema: [] }], "config_schema"],
    ["null", null, "capabilities/providers"],
  ] as const)("fail the handshake with %s", ([, providers, reason]) => {
    const sent: JsonValue = JSON.parse(JSON.stringify(providers))
    expect(initialize(sent)).toEqual({ kind: "refused", reason: expect.stringContaining(reason) })
  })

  it("fail the handshake when a required setting is missing", () => {
    const provider = { ...good, config_schema: { required: ["region", "key"] } }
    const reason = "its provider 'demo' needs the setting 'key', which is not set"
    expect(initialize([provider], undefined, { region: "here" })).toEqual({ kind: "refused", reason })
    expect(initialize([provider], undefined, { region: "here", key: "" })).toMatchObject({ kind: "initialized" })
  })
})

describe("readProviderResult", () => {
  it("returns known blocks and ignores others", () => {
    const text = { type: "text", text: "hi" }
    const call = { type: "tool_use", id: "1", name: "bash", input: { command: "ls" } }
    const thought = { type: "thinking", thinking: "hm", signature: "s" }
    const result = {
      content: [thought, { type: "image" }, text, call],
      stop_reason: "end_turn",
      usage: { input_tokens: 1 },
    }
    expect(readProviderResult(result)).toEqual({
      kind: "answer",
      answer: { blocks: [thought, text, call], stopReason: "end_turn", usage: { input_tokens: 1 } },
    })
  })

  it.for<JsonValue>([
    null,
    "hi",
    {},
    { content: "hi" },
    { content: ["hi"] },
    { content: [{ type: "text" }] },
    { content: [{ type: "text", text: 5 }] },
    { content: [{ type: "tool_use", id: " ", name: "bash" }] },
    { content: [{ type: "tool_use", id: "1", name: "" }] },
    { content: [{ type: "tool_use", id: "1", name: "bash", input: "ls" }] },
    { content: [], stop_reason: 5 },
  ])("rejects %o", (result) => {
    expect(readProviderResult(result)).toMatchObject({ kind: "invalid" })
  })
})

describe("readStreamEvent", () => {
  it.for<JsonValue>([
    { type: "text", delta: "hi" },
    { type: "text", text: "hi" },
    { type: "thinking", delta: "hm" },
    { type: "tool_use", id: "1", name: "bash" },
    { type: "usage", input_tokens: 1 },
    { type: "error", message: "no" },
    { type: "done" },
  ])("accepts %o, directly or as the member event", (event) => {
    expect(readStreamEvent(event)).toEqual(event)
    expect(readStreamEvent({ event })).toEqual(event)
  })

  it.for<JsonValue>([
    null,
    [],
    "text",
    {},
    { type: "text" },
    { type: "dance" },
    { type: "error", message: "" },
    { event: 5 },
  ])("rejects %o", (params) => {
    expect(readStreamEvent(params)).toBeUndefined()
  })
})
