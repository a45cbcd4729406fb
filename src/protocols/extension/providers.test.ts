import { describe, expect, it } from "vitest"
import type { JsonValue } from "../../contract/values.ts"
import { readGreeting } from "./handshake.ts"
import { readProviderResult, readStreamEvent } from "./read-provider.ts"

const model = { id: "small" }
const good = { id: "demo", display_name: "Demo", description: "answers", models: [model] }

function greet(providers: JsonValue, permissions = ["providers.register"], config = {}) {
  const result = { protocol_version: 1, capabilities: { providers } }
  return readGreeting(result, { version: 1, permissions: new Set(permissions), config })
}

describe("the providers of an extension", () => {
  it.for([
    ["nothing but what they must have", good],
    [
      "everything",
      { ...good, models: [{ id: "a/b.c", display_name: "B", capabilities: { streaming: true }, context_window: 9 }] },
    ],
    [
      "nulls where nothing is to be said",
      {
        ...good,
        config_schema: null,
        models: [{ ...model, display_name: null, capabilities: null, context_window: null }],
      },
    ],
    [
      "members that nobody knows",
      { ...good, more: 1, models: [{ ...model, more: 1, capabilities: { thinking: "yes" } }] },
    ],
    ["a schema that asks for nothing", { ...good, config_schema: { type: "object", properties: { key: {} } } }],
  ] as const)("are taken with %s", ([, provider]) => {
    expect(greet([provider])).toEqual({ kind: "greeted", tools: [], providers: [provider] })
  })

  it("need the permission to be there", () => {
    const reason = "it registers providers without the permission providers.register"
    expect(greet([good], ["tools.register"])).toEqual({ kind: "refused", reason })
    expect(greet([], [])).toMatchObject({ kind: "greeted" })
  })

  it.for([
    ["no id", [{ ...good, id: "" }], "is no id for a provider"],
    ["large letters in an id", [{ ...good, id: "Demo" }], "is no id for a provider"],
    ["a colon in an id", [{ ...good, id: "a:b" }], "is no id for a provider"],
    ["a blank name", [{ ...good, display_name: " " }], "no display_name"],
    ["no name", [{ ...good, display_name: undefined }], "display_name"],
    ["a blank description", [{ ...good, description: " " }], "no description"],
    ["no description", [{ ...good, description: undefined }], "description"],
    ["no list of models", [{ ...good, models: undefined }], "models"],
    ["no models", [{ ...good, models: [] }], "has no models"],
    ["a model without an id", [{ ...good, models: [{ id: "" }] }], "is no id for a model"],
    ["a model with a colon", [{ ...good, models: [{ id: "a:b" }] }], "is no id for a model"],
    ["a model with a space", [{ ...good, models: [{ id: "a b" }] }], "is no id for a model"],
    ["a model with a name of 65 bytes", [{ ...good, models: [{ id: "a".repeat(65) }] }], "is no id for a model"],
    ["the same model twice", [{ ...good, models: [model, model] }], "twice"],
    ["the same provider twice", [good, good], "twice"],
    ["a window that is no number", [{ ...good, models: [{ ...model, context_window: "9" }] }], "context_window"],
    ["a model that is a name", [{ ...good, models: ["small"] }], "models/0"],
    ["a schema that is a list", [{ ...good, config_schema: [] }], "config_schema"],
    ["null", null, "capabilities/providers"],
  ] as const)("fail the handshake with %s", ([, providers, reason]) => {
    const sent: JsonValue = JSON.parse(JSON.stringify(providers))
    expect(greet(sent)).toEqual({ kind: "refused", reason: expect.stringContaining(reason) })
  })

  it("fail the handshake when a setting is missing that they need", () => {
    const provider = { ...good, config_schema: { required: ["region", "key"] } }
    const reason = "its provider 'demo' needs the setting 'key', which is not set"
    expect(greet([provider], undefined, { region: "here" })).toEqual({ kind: "refused", reason })
    expect(greet([provider], undefined, { region: "here", key: "" })).toMatchObject({ kind: "greeted" })
  })
})

describe("the result of a model", () => {
  it("has the blocks that are known, and lives with others", () => {
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
  ])("is nonsense as %o", (result) => {
    expect(readProviderResult(result)).toMatchObject({ kind: "nonsense" })
  })
})

describe("an event of a stream", () => {
  it.for<JsonValue>([
    { type: "text", delta: "hi" },
    { type: "text", text: "hi" },
    { type: "thinking", delta: "hm" },
    { type: "tool_use", id: "1", name: "bash" },
    { type: "usage", input_tokens: 1 },
    { type: "error", message: "no" },
    { type: "done" },
  ])("is %o, as it is or under its name", (event) => {
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
  ])("is none as %o", (params) => {
    expect(readStreamEvent(params)).toBeUndefined()
  })
})
