import { PassThrough } from "node:stream"
import { describe, expect, it, vi } from "vitest"
import type { JsonValue } from "../../contract/values.ts"
import * as events from "../../protocols/extension/hook-events.ts"
import { decodeBody, encodeRequest, type RpcMessage } from "../../protocols/json-rpc.ts"
import { contentFrame } from "../../transports/framing/content-length.ts"
import { block, modify } from "./hooks.ts"
import type { ExtensionDefinition } from "./definition.ts"
import { serve } from "./serve.ts"

type Request = readonly [method: string, params: JsonValue]

const greeting = { extension_protocol_version: 1, plugin_id: "p", config: { mode: "strict" } }
const hello: Request = ["initialize", greeting]
const call = { name: "bash", runtimeName: "bash", input: { command: "date" } }
const toolCall: Request = ["hook.handle", events.beforeToolCall(call, "s")]

/** Its answers to these requests, which are written at once before its input ends. */
async function answersOf(definition: ExtensionDefinition, ...requests: readonly Request[]) {
  const input = new PassThrough()
  const answers: RpcMessage[] = []
  const send = async (frame: string) => void answers.push(decodeBody(frame.slice(frame.indexOf("\r\n\r\n") + 4)))
  const served = serve(definition, { input, send })
  input.end(requests.map(([method, params], at) => contentFrame(encodeRequest(at + 1, method, params))).join(""))
  await served
  return answers
}

const result = (id: number, value: JsonValue) => ({ kind: "answer", id, answer: { kind: "result", value } })
const error = (id: number, message: string) => ({ kind: "answer", id, answer: expect.objectContaining({ message }) })

describe("an extension", () => {
  it("answers initialize with version and tools, and tool calls with results", async () => {
    const inputSchema = { type: "object" }
    const tools = { echo: { description: "says it again", inputSchema, call: (input: JsonValue) => ({ input }) } }
    const answers = await answersOf({ tools }, hello, ["tool.call", { name: "echo", input: "hi" }])
    const spec = { name: "echo", description: "says it again", input_schema: inputSchema }
    expect(answers).toEqual([
      result(1, { protocol_version: 1, capabilities: { tools: [spec] } }),
      result(2, { input: "hi" }),
    ])
  })

  it("answers requests in order, with its configuration in the context", async () => {
    let running = 0
    const hooks: ExtensionDefinition["hooks"] = {
      async before_tool_call({ tool_name }, { config }) {
        running++
        await new Promise(setImmediate)
        return block(`${tool_name} ${JSON.stringify(config["mode"])} ${running--}`)
      },
    }
    const blocked = { action: "block", reason: 'bash "strict" 1' }
    expect((await answersOf({ hooks }, hello, toolCall, toolCall)).slice(1)).toEqual([
      result(2, blocked),
      result(3, blocked),
    ])
  })

  it("answers continue without a handler or a returned action", async () => {
    const hooks = { before_tool_call: () => {} }
    const start: Request = ["hook.handle", events.onSessionStart("s")]
    const goOn = { action: "continue" }
    expect((await answersOf({ hooks }, hello, toolCall, start)).slice(1)).toEqual([result(2, goOn), result(3, goOn)])
  })

  it("answers with an error when a handler throws or a request is invalid, and continues", async () => {
    const log = vi.spyOn(console, "error").mockReturnValue()
    const hooks: ExtensionDefinition["hooks"] = {
      before_tool_call: () => {
        throw new Error("no luck")
      },
    }
    const answers = await answersOf({ hooks }, toolCall, hello, toolCall, ["dance", null], ["tool.call", { name: "x" }])
    expect(answers).toEqual([
      error(1, "the host has not sent initialize"),
      result(2, { protocol_version: 1, capabilities: {} }),
      error(3, "no luck"),
      error(4, "unknown method dance"),
      error(5, "invalid parameters of tool.call"),
    ])
    log.mockRestore()
  })

  it("answers with an error when a result is not JSON, and continues", async () => {
    const log = vi.spyOn(console, "error").mockReturnValue()
    const loop: JsonValue[] = []
    loop.push(loop)
    const tools = { loop: { description: "d", inputSchema: {}, call: () => loop } }
    const hooks: ExtensionDefinition["hooks"] = { before_tool_call: () => modify(loop) }
    const answers = await answersOf({ tools, hooks }, hello, ["tool.call", { name: "loop" }], toolCall, hello)
    expect(answers.map((one) => one.kind === "answer" && one.answer.kind)).toEqual([
      "result",
      "error",
      "error",
      "result",
    ])
    expect(log).toHaveBeenCalledTimes(2)
    log.mockRestore()
  })

  it("rejects an action that the hook does not accept", async () => {
    const hooks: object = { after_tool_call: () => modify(1) }
    const answers = await answersOf({ hooks }, hello, ["hook.handle", events.afterToolCall(call, "out", "s")])
    expect(answers[1]).toEqual(
      error(2, "the handler of after_tool_call returned modify, which after_tool_call does not allow"),
    )
  })

  it("shuts down once, on shutdown or when the host is gone", async () => {
    const onShutdown = vi.fn<() => void>()
    expect(await answersOf({ onShutdown }, hello, ["shutdown", null])).toHaveLength(2)
    await answersOf({ onShutdown }, hello)
    expect(onShutdown).toHaveBeenCalledTimes(2)
  })

  it("rejects when a frame is invalid", async () => {
    const input = new PassThrough()
    const served = serve({}, { input, send: async () => {} })
    input.write("Content-Length: x\r\n\r\n")
    await expect(served).rejects.toThrow("invalid frame of the host: a length is not a number: x")
  })
})
