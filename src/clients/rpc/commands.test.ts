import { describe, expect, it } from "vitest"
import { startScripted } from "./fixtures/start-scripted.ts"
import { RpcFrameTooLarge, RpcNotReading, RpcRefused, RpcTimeout, type ChildEvent } from "./index.ts"

describe("commands", () => {
  it("return typed results", async () => {
    const parent = await startScripted()
    expect(await parent.getState()).toMatchObject({ isStreaming: false, model: "model-1", sessionId: "session-1" })
    expect(await parent.getSessionStats()).toMatchObject({ cost: 0.5, inputTokens: 0, sessionId: "session-1" })
    expect(await parent.getMessages()).toEqual([{ role: "user", content: "hi" }])
    expect(await parent.listTools()).toEqual([{ name: "read", description: "d", inputSchema: { type: "object" } }])
    expect(await parent.abort()).toBeUndefined()
  })

  it("update session id and model", async () => {
    const parent = await startScripted()
    expect(await parent.setModel("model-2")).toBe("model-2")
    expect(await parent.newSession()).toBe("session-2")
    expect([parent.model, parent.sessionId]).toEqual(["model-2", "session-2"])
  })

  it("sent at the same time each get their own response", async () => {
    const parent = await startScripted()
    const answers = await Promise.all([parent.getState(), parent.compact(), parent.setModel("m"), parent.getMessages()])
    expect(answers).toMatchObject([{ isStreaming: false }, "short", "m", [{ role: "user" }]])
  })

  it("reject with the child's reason when it refuses", async () => {
    const parent = await startScripted()
    await expect(parent.approve("apr_1", true)).rejects.toThrow(RpcRefused)
    await expect(parent.approve("apr_1", true)).rejects.toMatchObject({
      command: "approve",
      reason: "unknown approval",
    })
  })

  it("reject at the timeout or when their signal is aborted", async () => {
    const parent = await startScripted("well", { timeouts: { commandMs: 50 } })
    await expect(parent.queue("hurry")).rejects.toThrow(RpcTimeout)
    await expect(parent.queue("hurry", { timeoutMs: 20 })).rejects.toThrow("did not answer 'queue' within 20 ms")
    const given = { signal: AbortSignal.abort(new Error("too late")), timeoutMs: 0 }
    await expect(parent.queue("hurry", given)).rejects.toThrow("too late")
    expect(await parent.getState({ timeoutMs: 0 })).toMatchObject({ isStreaming: false })
  })

  it("that are too large are not sent", async () => {
    const parent = await startScripted()
    await expect(parent.setModel("x".repeat(1024 * 1024))).rejects.toThrow(RpcFrameTooLarge)
    await expect(parent.prompt("é".repeat(600_000)).done()).rejects.toThrow(RpcFrameTooLarge)
    expect(await parent.prompt("say fine").text()).toBe("fine ")
  })

  it("reject when the child does not read its input", async () => {
    const parent = await startScripted("unreading")
    const turns = Array.from({ length: 12 }, () => parent.prompt("x".repeat(1_000_000)).done())
    const ends = Promise.allSettled(turns)
    await expect(turns.at(-1)).rejects.toThrow(RpcNotReading)
    await parent.close()
    expect((await ends).map(({ status }) => status)).toEqual(turns.map(() => "rejected"))
  })
})

describe("other children", () => {
  it("may list models by name, announce disclosures and omit fields", async () => {
    const parent = await startScripted()
    expect(await parent.getAvailableModels()).toEqual([
      { provider: "", id: "plain", name: "plain" },
      { provider: "p", id: "m", name: "M" },
    ])
    expect(await parent.compact()).toBe("short")
    expect(await parent.prompt("disclose").text()).toBe("after the disclosure")
    expect(await parent.prompt("nulls").done()).toMatchObject({ kind: "completed" })
  })

  it("may print lines that are no frames: they go to onNoise", async () => {
    const noise: string[] = []
    const parent = await startScripted("chatty", { onNoise: (line) => noise.push(line) })
    expect(await parent.prompt("noise").text()).toBe("still here")
    expect(noise).toEqual([
      "Loading plugins ...",
      "a warning of some library",
      "{",
      "[]",
      "null",
      "a line that is not UTF-8",
      expect.stringContaining('"type":"event"'),
      expect.stringContaining("sound_delta"),
    ])
  })
})

describe("all events", () => {
  it("reach every reader until the end", async () => {
    const parent = await startScripted()
    const readers = [parent.events(), parent.events()].map(async (events) => {
      const types: ChildEvent["type"][] = []
      for await (const { type } of events) types.push(type)
      return types
    })
    await parent.prompt("say one two").done()
    await parent.getState()
    await parent.close()
    const expected = ["message_update", "message_update", "agent_end", "response", "response"]
    expect(await Promise.all(readers)).toEqual([expected, expected])
  })
})
