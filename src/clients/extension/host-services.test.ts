import { isJsonObject } from "../../contract/json-object.ts"
import { PassThrough } from "node:stream"
import { describe, expect, it } from "vitest"
import type { JsonValue } from "../../contract/values.ts"
import { beforeMessage } from "../../protocols/extension/hook-events.ts"
import { decodeBody, encodeRequest, encodeResponse, type Answer, type RpcMessage } from "../../protocols/json-rpc.ts"
import { contentFrame } from "../../transports/framing/content-length.ts"
import type { ExtensionDefinition } from "./definition.ts"
import { HostRefusal } from "./host-calls.ts"
import type { ExtensionContext } from "./index.ts"
import { serve } from "./serve.ts"

type Host = (method: string, params: JsonValue) => Answer | undefined

const greeting = { extension_protocol_version: 1, plugin_id: "mine", config: {} }
const asked: readonly [string, JsonValue][] = [
  ["initialize", greeting],
  ["hook.handle", beforeMessage("hi", "s")],
]
const result = (value: JsonValue): Answer => ({ kind: "result", value })

/** Everything that an extension sends to a host that answers its calls, until shutdown. */
async function heardBy(host: Host, definition: ExtensionDefinition, requests = asked) {
  const input = new PassThrough()
  const received: RpcMessage[] = []
  const write = (body: string) => void input.write(contentFrame(body))
  const send = async (frame: string) => {
    const one = decodeBody(frame.slice(frame.indexOf("\r\n\r\n") + 4))
    received.push(one)
    const answer = one.kind === "call" ? host(one.method, one.params) : undefined
    if (one.kind === "call" && answer !== undefined) write(encodeResponse(one.id, answer))
  }
  const served = serve(definition, { input, send })
  for (const [at, [method, params]] of requests.entries()) write(encodeRequest(at + 1, method, params))
  write(encodeRequest(requests.length + 1, "shutdown", null))
  await served
  return received
}

/** What a handler returns while its host answers as given. */
async function outcomeOf(host: Host, work: (context: ExtensionContext) => Promise<JsonValue>): Promise<JsonValue> {
  let outcome: JsonValue = null
  const before_message = async (_: unknown, context: ExtensionContext) => {
    outcome = await work(context).catch((fault: unknown) =>
      fault instanceof HostRefusal ? { refused: fault.code, why: fault.message } : String(fault),
    )
  }
  await heardBy(host, { hooks: { before_message } })
  return outcome
}

describe("memory", () => {
  it("is available in a handler, in the extension's own namespace", async () => {
    const record = { namespace: "mine", timestamp_ms: 7, content: "milk" }
    const calls: JsonValue[] = []
    const host: Host = (method, params) => {
      calls.push([method, params])
      return result(method === "memory.append" ? { ok: true, timestamp_ms: 7 } : { records: [record] })
    }
    const outcome = await outcomeOf(host, async ({ memory }) => {
      const at = await memory.append("milk", { tags: ["shopping"] })
      const found = await memory.query({ contains: "MILK", limit: 3 })
      return [at, ...found]
    })
    expect(outcome).toEqual([7, { ...record, tags: [], meta: null }])
    expect(calls).toEqual([
      ["memory.append", { namespace: "mine", content: "milk", tags: ["shopping"], meta: null }],
      [
        "memory.query",
        { namespace: "mine", content_contains: "MILK", tag_prefix: null, since_ms: null, until_ms: null, limit: 3 },
      ],
    ])
  })

  it("rejects with the host's reason, and with a fault for an invalid answer", async () => {
    const refusal: Host = () => ({ kind: "error", code: -32_602, message: "permission denied" })
    const append = async ({ memory }: ExtensionContext) => memory.append("x")
    const query = async ({ memory }: ExtensionContext) => [...(await memory.query())]
    expect(await outcomeOf(refusal, append)).toEqual({ refused: -32_602, why: "permission denied" })
    expect(await outcomeOf(() => result(null), append)).toContain("invalid answer of the host")
    expect(await outcomeOf(() => result({ records: 3 }), query)).toContain("invalid answer of the host")
    expect(await outcomeOf(() => result({ records: [{ content: 3 }] }), query)).toContain("invalid answer of the host")
  })
})

describe("settings", () => {
  it("can be read, set and subscribed to", async () => {
    const values = new Map<string, JsonValue>()
    const host: Host = (method, params) => {
      const { key = null, value = null } = isJsonObject(params) ? params : {}
      if (method === "config.set") values.set(JSON.stringify(key), value)
      return result(method === "config.get" ? { value: values.get(JSON.stringify(key)) ?? null } : { ok: true })
    }
    const outcome = await outcomeOf(host, async ({ settings }) => {
      const before = await settings.get("colour")
      await settings.set("colour", "red")
      await settings.subscribe(["colour"])
      return [before, await settings.get("colour")]
    })
    expect(outcome).toEqual([null, "red"])
  })
})

describe("a call to the host", () => {
  it("rejects when the host is gone", async () => {
    const input = new PassThrough()
    const ended = Promise.withResolvers<unknown>()
    const onInitialize = async ({ settings }: ExtensionContext) => {
      await settings.get("x").catch(ended.resolve)
    }
    const send = async (frame: string) => void (frame.includes("config.get") && input.end())
    const served = serve({ onInitialize }, { input, send })
    input.write(contentFrame(encodeRequest(1, "initialize", greeting)))
    expect(await ended.promise).toEqual(new Error("the host is gone"))
    await served
  })

  it("rejects when it cannot be written", async () => {
    const input = new PassThrough()
    const faults: unknown[] = []
    const onInitialize = async ({ settings }: ExtensionContext) => {
      await settings.get("x").catch((fault: unknown) => faults.push(fault))
      input.end()
    }
    const send = (frame: string) =>
      frame.includes("config.get") ? Promise.reject(new Error("EPIPE")) : Promise.resolve()
    const served = serve({ onInitialize }, { input, send })
    input.write(contentFrame(encodeRequest(1, "initialize", greeting)))
    await served
    expect(faults).toEqual([new Error("EPIPE")])
  })
})

describe("commands", () => {
  const invoke = (params: JsonValue): readonly [string, JsonValue][] => [
    ["initialize", greeting],
    ["command.invoke", params],
  ]

  it("send output before and with their result", async () => {
    const commands: ExtensionDefinition["commands"] = {
      greet: async ([name = "you"], { pluginId }, say) => {
        await say("One moment.")
        return `Hello ${name}, says ${pluginId}.`
      },
    }
    const requests = invoke({ command: "greet", args: ["Ada"], request_id: "r" })
    const received = await heardBy(() => undefined, { commands }, requests)
    const said = { request_id: "r", event: { kind: "text", content: "One moment." } }
    expect(received.slice(1, 3)).toEqual([
      { kind: "notice", method: "command.output", params: said },
      { kind: "answer", id: 2, answer: result({ output: "Hello Ada, says mine." }) },
    ])
  })

  it.each([{ command: "constructor", args: [] }, { command: "greet", args: "x" }, {}, null])(
    "are not found by %j",
    async (params) => {
      const received = await heardBy(() => undefined, { commands: { greet: () => "hi" } }, invoke(params))
      expect(received[1]).toMatchObject({ kind: "answer", id: 2, answer: { kind: "error", code: -32_602 } })
    },
  )
})
