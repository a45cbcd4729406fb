// Answers and failures of every provider package, against a real server on loopback.
import { describe, expect, it } from "vitest"
import {
  anthropic,
  ask,
  bedrock,
  callsOf,
  connect,
  finishOf,
  google,
  hello,
  key,
  local,
  openai,
  textOf,
} from "../../spec/provider-server/connect.ts"
import type { Reply } from "../../spec/provider-server/script.ts"
import { ModelFault, QuotaExhausted } from "./faults.ts"
import { ModelUnavailable } from "./model-source.ts"

describe.each([anthropic, openai, local, google, bedrock])("$name", (format) => {
  it("returns the whole text and a finish", async () => {
    const heard = await ask(await connect(format, hello))
    expect(textOf(heard)).toBe("Hello from the other side.")
    expect(finishOf(heard)?.finishReason.unified).toBe("stop")
    expect(heard.server.requests).toHaveLength(1)
  })

  it("returns two parallel tool calls whose input came in fragments", async () => {
    const blocks = [
      { tool: "read", id: "call_a", input: { path: "a/long/path/to/a/file.txt" } },
      { tool: "ls", id: "call_b", input: { path: "." } },
    ]
    const heard = await ask(await connect(format, { blocks }))
    expect(callsOf(heard)).toEqual([
      { tool: "read", input: '{"path":"a/long/path/to/a/file.txt"}' },
      { tool: "ls", input: '{"path":"."}' },
    ])
    expect(finishOf(heard)?.finishReason.unified).toBe("tool-calls")
  })

  it("is retried after a server error", async () => {
    const heard = await ask(await connect(format, { status: 500 }, { status: 503 }, hello))
    expect(textOf(heard)).toBe("Hello from the other side.")
    expect(heard.slept).toEqual([1000, 2000])
    expect(heard.server.requests).toHaveLength(3)
  })

  it("is retried after the delay that it asks for", async () => {
    const heard = await ask(await connect(format, { status: 429, headers: { "retry-after": "3" } }, hello))
    expect(heard.slept).toEqual([3000])
    expect(textOf(heard)).toBe("Hello from the other side.")
  })

  it("reports a quota when the limit ends later", async () => {
    const limited: Reply = { status: 429, headers: { "retry-after": "7200" } }
    const heard = await ask(await connect(format, limited), { now: () => 1000 })
    expect(heard.fault).toBeInstanceOf(QuotaExhausted)
    expect(heard.fault).toMatchObject({ until: 7_201_000 })
    expect(heard.server.requests).toHaveLength(1)
  })

  it("names the configuration key when the API key is refused, without repeating it", async () => {
    const refusal: Reply = { status: 401, error: { message: `bad key ${key}` } }
    const { fault, server } = await ask(await connect(format, refusal))
    expect(fault).toEqual(
      new ModelUnavailable(
        `Provider ${format.name} refused the key (401): check providers.${format.name}.apiKey in the configuration.`,
      ),
    )
    expect(server.requests).toHaveLength(1)
  })

  it("names an unknown model", async () => {
    const { fault } = await ask(await connect(format, { status: 404 }))
    expect(fault).toBeInstanceOf(ModelUnavailable)
    expect(fault).toHaveProperty("message", expect.stringContaining(`has no model ${format.model}`))
  })

  it("is retried when the connection breaks before the first content", async () => {
    const heard = await ask(await connect(format, { blocks: [], end: "cut" }, hello))
    expect(textOf(heard)).toBe("Hello from the other side.")
    expect(heard.server.requests).toHaveLength(2)
  })

  it("is not retried when the connection breaks in the middle", async () => {
    const heard = await ask(await connect(format, { blocks: [{ text: "Half an answer" }], end: "cut" }, hello))
    expect(heard.fault).toBeInstanceOf(ModelFault)
    expect("Half an answer").toContain(textOf(heard))
    expect(heard.server.requests).toHaveLength(1)
  })

  it("fails when the stream ends without a finish", async () => {
    const heard = await ask(await connect(format, { blocks: [{ text: "Half an answer" }], end: "eof" }, hello))
    expect(heard.fault).toBeInstanceOf(ModelFault)
    expect(textOf(heard)).toBe("Half an answer")
    expect(heard.server.requests).toHaveLength(1)
  })

  it("is retried when it is overloaded before the first content", async () => {
    const heard = await ask(await connect(format, { blocks: [], end: "overloaded" }, hello))
    expect(textOf(heard)).toBe("Hello from the other side.")
    expect(heard.server.requests).toHaveLength(2)
  })

  it("is not retried when it is overloaded in the middle", async () => {
    const heard = await ask(await connect(format, { blocks: [{ text: "Half" }], end: "overloaded" }, hello))
    expect(heard.fault).toBeInstanceOf(ModelFault)
    expect(heard.fault).toHaveProperty("message", expect.stringContaining("Overloaded"))
    expect(heard.server.requests).toHaveLength(1)
  })

  it("may be slow to start", async () => {
    const heard = await ask(await connect(format, { ...hello, firstByteAfterMs: 30 }))
    expect(textOf(heard)).toBe("Hello from the other side.")
  })

  it("is retried when it never starts", async () => {
    const heard = await ask(await connect(format, { hang: true }, hello), { firstByteMs: 200 })
    expect(textOf(heard)).toBe("Hello from the other side.")
    const request = await heard.server.arrived(1)
    await request.abandoned
  })

  it("is cut off after a long silence in the middle", async () => {
    const silent: Reply = { blocks: [{ text: "Half an answer" }], end: "hang" }
    const heard = await ask(await connect(format, silent), { idleMs: 200 })
    expect(heard.fault).toHaveProperty("message", "The model was silent for 0.2 s in the middle of its answer.")
    expect(textOf(heard)).toBe("Half an answer")
    const request = await heard.server.arrived(1)
    await request.abandoned
  })

  it("stops at once on an abort", async () => {
    const controller = new AbortController()
    const reason = new Error("interrupted")
    const connected = await connect(format, { hang: true })
    const asking = ask(connected, { signal: controller.signal })
    const request = await connected.server.arrived(1)
    controller.abort(reason)
    expect((await asking).fault).toBe(reason)
    await request.abandoned
  })
})

describe("malformed tool input", () => {
  it.each([anthropic, openai, local, bedrock])("is passed on unchanged: $name", async (format) => {
    const heard = await ask(await connect(format, { blocks: [{ tool: "read", raw: '{"path": "a' }] }))
    expect(callsOf(heard)).toEqual([{ tool: "read", input: '{"path": "a' }])
  })
})
