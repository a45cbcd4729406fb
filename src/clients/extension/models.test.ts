import { describe, expect, it, vi } from "vitest"
import { PassThrough } from "node:stream"
import type { JsonValue } from "../../contract/values.ts"
import { decodeBody, encodeRequest, type RpcMessage } from "../../protocols/json-rpc.ts"
import { contentFrame } from "../../transports/framing/content-length.ts"
import type { ExtensionProvider } from "./models.ts"
import { serve } from "./serve.ts"

const hello = { extension_protocol_version: 1, plugin_id: "x", config: { voice: "low" } }
const about = { id: "p", displayName: "P", description: "answers", models: [{ id: "m" }] }
const request = {
  provider_id: "p",
  model_id: "m",
  model: "x:p:m",
  messages: [{ role: "user", content: "hi" }],
  system_prompt: null,
  tools: [],
  temperature: null,
  max_tokens: 100,
  thinking_budget: 0,
}

/** What an extension with this provider sends for one request, without the answer to initialize. */
async function saidTo(provider: ExtensionProvider, method: string, params: JsonValue = request) {
  const input = new PassThrough()
  const said: RpcMessage[] = []
  const send = async (frame: string) => void said.push(decodeBody(frame.slice(frame.indexOf("\r\n\r\n") + 4)))
  const served = serve({ providers: [provider] }, { input, send })
  input.end([encodeRequest(1, "initialize", hello), encodeRequest(2, method, params)].map(contentFrame).join(""))
  await served
  return said.slice(1)
}

const event = (params: JsonValue) => ({ kind: "notice", method: "provider.stream.event", params })
const result = (value: JsonValue) => ({ kind: "answer", id: 2, answer: { kind: "result", value } })
const error = (message: string) => ({ kind: "answer", id: 2, answer: expect.objectContaining({ message }) })
const whole = (text: string) => result({ content: [{ type: "text", text }], stop_reason: "end_turn", usage: null })

describe("the models of an extension", () => {
  it("are announced in the answer to initialize", async () => {
    const input = new PassThrough()
    const frames: string[] = []
    const models = [{ id: "m", displayName: "M", contextWindow: 9, toolUse: true }]
    const provider = { ...about, models, configSchema: { required: ["voice"] }, complete: () => "hi" }
    const served = serve({ providers: [provider] }, { input, send: async (frame) => void frames.push(frame) })
    input.end(contentFrame(encodeRequest(1, "initialize", hello)))
    await served
    const capabilities = { streaming: false, tool_use: true }
    const spec = { id: "m", display_name: "M", capabilities, context_window: 9 }
    const brought = { id: "p", display_name: "P", description: "answers", models: [spec] }
    expect(decodeBody(frames[0]?.slice(frames[0].indexOf("{")) ?? "")).toMatchObject({
      answer: { value: { capabilities: { providers: [{ ...brought, config_schema: { required: ["voice"] } }] } } },
    })
  })

  it("answer with text, with the configuration in the context", async () => {
    const complete: ExtensionProvider["complete"] = ({ messages }, { config }) =>
      `${JSON.stringify(messages[0]?.content)} in a ${JSON.stringify(config["voice"])} voice`
    expect(await saidTo({ ...about, complete }, "provider.complete")).toEqual([whole('"hi" in a "low" voice')])
  })

  it("answer with blocks, a stop reason and usage", async () => {
    const call = { type: "tool_use", id: "1", name: "bash", input: { command: "ls" } } as const
    const answer = { content: [call], stop_reason: "tool_use", usage: { input_tokens: 1 } }
    expect(await saidTo({ ...about, complete: () => answer }, "provider.complete")).toEqual([result(answer)])
  })

  it("stream events and repeat the whole text in the result", async () => {
    const provider: ExtensionProvider = {
      ...about,
      complete: () => "",
      async *stream() {
        yield "one "
        yield { type: "thinking", delta: "hm" }
        yield { type: "text", text: "two" }
      },
    }
    expect(await saidTo(provider, "provider.stream")).toEqual([
      event({ type: "text", delta: "one " }),
      event({ type: "thinking", delta: "hm" }),
      event({ type: "text", text: "two" }),
      whole("one two"),
    ])
  })

  it("may end a stream with their own result", async () => {
    const provider: ExtensionProvider = {
      ...about,
      complete: () => "",
      async *stream() {
        yield "one"
        return { content: [{ type: "text", text: "one" }], stop_reason: "max_tokens" }
      },
    }
    const answer = { content: [{ type: "text", text: "one" }], stop_reason: "max_tokens", usage: null }
    expect(await saidTo(provider, "provider.stream")).toEqual([event({ type: "text", delta: "one" }), result(answer)])
  })

  it("answer with an error for an invalid result or request", async () => {
    const log = vi.spyOn(console, "error").mockReturnValue()
    const broken: object = { complete: () => ({ content: [{ type: "text" }] }) }
    const other = { ...request, model_id: "other" }
    const provider = { ...about, complete: () => "" }
    expect(await saidTo({ ...provider, ...broken }, "provider.complete")).toEqual([
      error('invalid answer of the model: a block of the type "text" is incomplete'),
    ])
    expect(await saidTo(provider, "provider.complete", other)).toEqual([error("unknown model p:other")])
    expect(await saidTo(provider, "provider.stream")).toEqual([error("the provider p has no stream function")])
    expect(await saidTo(provider, "provider.complete", {})).toEqual([error("invalid parameters of provider.complete")])
    log.mockRestore()
  })

  it("answer with an error when the stream throws", async () => {
    const log = vi.spyOn(console, "error").mockReturnValue()
    const provider: ExtensionProvider = {
      ...about,
      complete: () => "",
      async *stream() {
        yield "one"
        throw new Error("no luck")
      },
    }
    expect(await saidTo(provider, "provider.stream")).toEqual([event({ type: "text", delta: "one" }), error("no luck")])
    log.mockRestore()
  })
})
