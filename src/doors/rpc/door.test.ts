import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { gate, scriptedSource } from "../../testing/index.ts"
import { testTool } from "../../testing/test-host.ts"
import { go, parentOf } from "../../testing/doors/rpc-parent-of.ts"

describe("the first frame", () => {
  it("is ready, with the session, its model and the version", async () => {
    const { parent, session } = await parentOf([])
    expect(parent.frames).toEqual([{ type: "ready", session_id: session.id, model: "m", protocol_version: 1 }])
  })
})

describe("a prompt", () => {
  it("is a turn that closes with agent_end and one response", async () => {
    const { parent } = await parentOf([[{ chunks: ["Hel", "lo"] }, { usage: { input: 12, output: 3 } }]])
    parent.send(go)
    await parent.response("p")
    expect(parent.names).toEqual(["ready", "text_delta", "text_delta", "agent_end", "response"])
    expect(parent.frames.at(-2)).toMatchObject({ usage: { input_tokens: 12, output_tokens: 3 } })
  })

  it("is accepted at the moment that agent_end is read", async () => {
    const { parent } = await parentOf([[{ text: "one" }], [{ text: "two" }]])
    parent.send(go)
    await parent.until(({ type }) => type === "agent_end")
    parent.send({ ...go, id: "q" })
    expect(await parent.response("q")).toMatchObject({ type: "response", ok: true })
  })

  it("during a turn is refused with its id, like other commands that would disturb the turn", async () => {
    const here = gate()
    const { parent } = await parentOf([[{ text: "one" }, { gate: here }, { text: " two" }]])
    parent.send(go)
    await here.arrived
    parent.send({ ...go, id: "q" }, { type: "follow_up", id: "f", message: "m" })
    parent.send({ type: "new_session", id: "n" }, { type: "compact", id: "c" })
    for (const id of ["q", "f", "n", "c"])
      expect(await parent.response(id)).toEqual({ type: "error", id, message: expect.stringContaining("abort first") })
    here.open()
    expect(await parent.response("p")).toMatchObject({ ok: true })
    expect(parent.text).toBe("one two")
  })

  it("with the id of the running one is refused, and the running one still closes", async () => {
    const here = gate()
    const { parent } = await parentOf([[{ gate: here }, { text: "one" }]])
    parent.send(go, go)
    await here.arrived
    expect(await parent.response("p")).toMatchObject({ type: "error" })
    here.open()
    expect(await parent.until(({ type }) => type === "response")).toMatchObject({ id: "p", ok: true })
  })

  it("without text and files is refused and stores nothing", async () => {
    const { parent, texts } = await parentOf([])
    parent.send({ ...go, message: " " })
    expect(await parent.response("p")).toMatchObject({ type: "error" })
    expect(await texts()).toEqual([])
  })

  it("that fails reports it, keeps the text and leaves the child usable", async () => {
    const failing = scriptedSource([[{ error: { message: "no luck", status: 400 } }]])
    const working = scriptedSource([[{ text: "again" }]])
    const models = { resolve: (name: string) => (name === "m" ? failing : working).resolve(name) }
    const { parent, texts } = await parentOf([], { services: { models } })
    parent.send(go)
    await parent.until(({ type }) => type === "response")
    expect(parent.names).toEqual(["ready", "error", "agent_end", "response"])
    expect(parent.frames.at(-1)).toMatchObject({ ok: false, error: expect.stringContaining("no luck") })
    parent.send({ type: "set_model", id: "s", model: "other" }, { ...go, id: "q", message: "again" })
    expect(await parent.response("q")).toMatchObject({ ok: true })
    expect(await texts()).toEqual(["go", "again"])
  })

  it("whose turn is parked ends with the reason, because the parent cannot resume it", async () => {
    const { parent } = await parentOf([[{ error: { message: "quota", status: 429, retryAfter: 100_000 } }]])
    parent.send(go)
    expect(await parent.until(({ type }) => type === "response")).toMatchObject({ ok: false })
  })
})

describe("attachments", () => {
  function folder(): string {
    const path = mkdtempSync(join(tmpdir(), "door-"))
    onTestFinished(() => rmSync(path, { recursive: true }))
    return path
  }

  it("reach the model with their type; others are named in the text", async () => {
    const place = folder()
    writeFileSync(join(place, "a.txt"), "content")
    writeFileSync(join(place, "b.bin"), Buffer.from([0, 1, 2]))
    const { parent, session, texts } = await parentOf([[{ text: "ok" }]])
    const attachments = [{ path: join(place, "a.txt"), name: null }, { path: join(place, "b.bin") }]
    parent.send({ ...go, message: "", attachments })
    expect(await parent.response("p")).toMatchObject({ ok: true })
    expect(await texts()).toEqual([expect.stringContaining("b.bin")])
    parent.send({ type: "get_messages", id: "g" })
    expect(JSON.stringify(await parent.response("g"))).toContain(Buffer.from("content").toString("base64"))
    expect(session.state.turn).toBeUndefined()
  })

  it.each(["relative.txt", "/tmp/../etc/hosts", "/nowhere/at/all"])(
    "with the path %s are all refused",
    async (path) => {
      const { parent, texts } = await parentOf([[{ text: "ok" }]])
      parent.send({ ...go, attachments: [{ path }] })
      expect(await parent.response("p")).toMatchObject({ type: "error", id: "p" })
      expect(await texts()).toEqual([])
      parent.send({ ...go, id: "q" })
      expect(await parent.response("q")).toMatchObject({ ok: true })
    },
  )
})

describe("abort", () => {
  it("closes the turn as cancelled, then answers", async () => {
    const here = gate()
    const { parent } = await parentOf([[{ text: "one" }, { gate: here }]])
    parent.send(go)
    await here.arrived
    parent.send({ type: "abort", id: "a" }, { type: "abort", id: "b" }, { ...go, id: "q" })
    await parent.response("b")
    expect(parent.names.slice(-4)).toEqual(["agent_end", "response", "response", "response"])
    expect(parent.frames.slice(-3)).toMatchObject([
      { id: "p", ok: true, cancelled: true },
      { id: "a", ok: true },
      { id: "b", ok: true },
    ])
    expect(parent.names).not.toContain("error")
    await parent.until(({ type }) => type === "message_update")
  })

  it("of an idle session succeeds", async () => {
    const { parent } = await parentOf([])
    parent.send({ type: "abort", id: "a" })
    expect(await parent.response("a")).toEqual({ type: "response", id: "a", command: "abort", ok: true })
  })

  it("gives every call a result", async () => {
    const here = gate()
    const tool = testTool("slow", async (_, { signal }) => {
      await here.pass(signal)
      return { outcome: "done", output: "never" }
    })
    const { parent } = await parentOf([[{ call: { tool: "slow", input: {} } }]], { tools: [tool] })
    parent.send(go)
    await here.arrived
    parent.send({ type: "abort", id: "a" })
    await parent.response("a")
    const calls = ["toolcall_start", "toolcall_input", "toolcall_result"]
    expect(parent.names.filter((name) => calls.includes(name))).toEqual(calls)
  })

  it("ends a compaction too", async () => {
    const here = gate()
    const { parent } = await parentOf([[{ text: "one" }], [{ gate: here }]])
    parent.send(go)
    await parent.response("p")
    parent.send({ type: "compact", id: "c" })
    parent.send({ type: "abort", id: "a" })
    expect(await parent.response("c")).toMatchObject({ type: "error", id: "c" })
    expect(await parent.response("a")).toMatchObject({ ok: true })
  })
})

describe("shutdown", () => {
  it("waits for the running turn, and accepts no new prompts", async () => {
    const here = gate()
    const { parent } = await parentOf([[{ gate: here }, { text: "one" }]])
    parent.send(go, { type: "shutdown" }, { ...go, id: "late" })
    const quiet = parent.door.idle()
    await here.arrived
    expect(await parent.response("late")).toMatchObject({ type: "error", message: expect.stringContaining("shutting") })
    expect(parent.hasAskedToEnd).toBe(true)
    here.open()
    await quiet
    await parent.door.close()
    expect(parent.frames.at(-1)).toMatchObject({ type: "response", id: "p", ok: true })
  })
})
