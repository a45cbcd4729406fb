import { describe, expect, it, onTestFinished } from "vitest"
import { gate, scriptedSource, type Step } from "../../testing/index.ts"
import { newSession, next, prompt, testHost, testTool } from "../../testing/test-host.ts"
import { go, parentOf } from "../../testing/doors/rpc-parent-of.ts"
import { portOf } from "../../testing/doors/served-host.ts"
import { TestParent } from "./fixtures.ts"

describe("queries", () => {
  it("are answered in order, however long each takes", async () => {
    const { parent } = await parentOf([])
    parent.send({ type: "get_messages", id: "1" }, { type: "get_state", id: "2" }, { type: "tools_list", id: "3" })
    parent.send({ type: "set_model", id: "4", model: "other" }, { type: "get_state", id: "5" })
    await parent.response("5")
    const ids = parent.frames.flatMap((frame) => (frame.type === "response" ? [frame.id] : []))
    expect(ids).toEqual(["1", "2", "3", "4", "5"])
    expect(parent.frames.at(-1)).toMatchObject({ model: "other", streaming: false, message_count: 0 })
  })

  it("are answered during a turn, which keeps its model", async () => {
    const here = gate()
    const { parent, session } = await parentOf([[{ text: "one" }, { gate: here }]])
    parent.send(go)
    await here.arrived
    parent.send({ type: "set_model", id: "1", model: "other" }, { type: "get_state", id: "2" })
    expect(await parent.response("2")).toMatchObject({ streaming: true, model: "other", message_count: 1 })
    expect(session.state.turn?.model).toBe("m")
    here.open()
    await parent.response("p")
  })

  it("about cost count every turn", async () => {
    const usage = { usage: { input: 10, output: 5, cacheRead: 4 } }
    const { parent } = await parentOf([
      [{ text: "one" }, usage],
      [{ text: "two" }, usage],
    ])
    parent.send(go)
    await parent.response("p")
    parent.send({ type: "follow_up", id: "q", message: "more" })
    await parent.response("q")
    parent.send({ type: "get_session_stats", id: "s" })
    expect(await parent.response("s")).toMatchObject({ input_tokens: 12, output_tokens: 10, message_count: 4 })
  })

  it("without an id are answered with an empty one", async () => {
    const { parent } = await parentOf([], { tools: [testTool("look", () => ({ outcome: "done", output: "" }))] })
    parent.send({ op: "tools_list", type: "tools_list" })
    expect(await parent.response("")).toMatchObject({
      ok: true,
      tools: [{ name: "look", description: "look", input_schema: { type: "object" } }],
    })
  })

  it("that the host cannot answer cost an error, not the door", async () => {
    const { parent } = await parentOf([], {})
    const broken = new TestParent()
    const { host } = await testHost(scriptedSource([]))
    onTestFinished(() => host.close())
    const port = portOf(host, {
      models: async () => {
        throw new Error("secret detail")
      },
    })
    await broken.open(port, (await newSession(host)).id)
    broken.send({ type: "get_available_models", id: "1" }, { type: "get_state", id: "2" })
    expect(await broken.response("1")).toEqual({ type: "error", id: "1", message: "the child could not do that" })
    expect(await broken.response("2")).toMatchObject({ type: "response" })
    expect(broken.faults).toEqual([expect.objectContaining({ message: "secret detail" })])
    expect(parent.faults).toEqual([])
  })
})

describe("the session", () => {
  it("is replaced by new_session, with the model in use", async () => {
    const { parent, session } = await parentOf([[{ text: "one" }]])
    parent.send(go)
    await parent.response("p")
    parent.send({ type: "new_session", id: "n" }, { type: "get_state", id: "g" })
    const state = await parent.response("g")
    expect(state).toMatchObject({ message_count: 0 })
    expect(state).not.toMatchObject({ session_id: session.id })
    parent.send({ ...go, id: "q" })
    await parent.response("q")
    expect(parent.text).toBe("oneone")
    expect(parent.names.filter((name) => name === "ready")).toHaveLength(1)
    expect(parent.left).toEqual([session.id])
  })

  it("is compacted in place, with its summary as the answer", async () => {
    const { parent, session } = await parentOf([[{ text: "one" }], [{ text: "A summary." }]])
    parent.send(go)
    await parent.response("p")
    parent.send({ type: "compact", id: "c" })
    const answer = await parent.response("c")
    expect(answer).toMatchObject({ ok: true, summary: expect.stringMatching(/./) })
    parent.send({ type: "get_state", id: "g" })
    expect(await parent.response("g")).toMatchObject({ session_id: session.id, message_count: 1 })
  })

  it("is busy during another door's turn, which the parent does not see, and abort ends it", async () => {
    const here = gate()
    const { parent, session } = await parentOf([[{ text: "not yours" }, { gate: here }]])
    await prompt(session, "from elsewhere")
    await here.arrived
    parent.send(go, { type: "get_state", id: "g" })
    expect(await parent.response("p")).toMatchObject({ message: expect.stringContaining("abort first") })
    expect(await parent.response("g")).toMatchObject({ streaming: true })
    const ended = next(session, "turn.ended")
    parent.send({ type: "abort", id: "a" })
    expect([(await ended).reason, await parent.response("a")]).toMatchObject(["interrupted", { ok: true }])
    expect(parent.text).toBe("")
  })

  it("that is lost fails the turn and reports it", async () => {
    const here = gate()
    const { parent, session } = await parentOf([[{ gate: here }]])
    parent.send(go)
    await here.arrived
    session.lose({ code: "log.fenced", sessionId: session.id })
    expect(await parent.until(({ type }) => type === "response")).toMatchObject({ ok: false })
    expect(parent.lost).toEqual(["log.fenced"])
  })
})

describe("approvals", () => {
  const tool = testTool("risky", () => ({ outcome: "done", output: "did it" }))
  const asking = {
    gates: [async () => ({ kind: "ask", reason: "it is listed", audience: "driver", causes: ["preset"] }) as const],
  }
  const steps: readonly Step[] = [[{ call: { tool: "risky", input: { a: 1 } } }], [{ text: "done" }]]

  it("are answered by a parent with the extended protocol", async () => {
    const around = { tools: [tool], services: asking, door: { extended: true } }
    const { parent } = await parentOf(steps, around)
    parent.send(go)
    const asked = await parent.until(({ type }) => type === "approval")
    expect(asked).toMatchObject({ tool_name: "risky", input: { a: 1 } })
    if (asked.type !== "approval") return
    parent.send({ type: "approve", id: "y", approval_id: asked.approval_id, approved: true })
    expect(await parent.response("y")).toMatchObject({ command: "approve", ok: true })
    expect(await parent.response("p")).toMatchObject({ ok: true })
    parent.send({ type: "approve", id: "z", approval_id: asked.approval_id, approved: true })
    expect(await parent.response("z")).toMatchObject({ type: "error", message: expect.stringContaining("settled") })
  })

  it("that expire are refused, and the turn continues", async () => {
    const around = { tools: [tool], services: { ...asking, approvalWaitMs: 5 } }
    const { parent } = await parentOf(steps, around)
    parent.send(go)
    expect(await parent.response("p")).toMatchObject({ ok: true })
    const shown = parent.frames.filter(({ type }) => type.startsWith("subagent"))
    expect(shown).toMatchObject([
      { type: "subagent_start", agent_name: "approval" },
      { type: "subagent_update", status: expect.stringContaining("awaiting_approval apr_") },
      { type: "subagent_done", result_preview: "ERROR: no answer in 0 s" },
    ])
    expect(parent.frames.some(({ type }) => type === "approval")).toBe(false)
  })
})

describe("a queued prompt", () => {
  it("is delivered to the running turn and answered at once", async () => {
    const here = gate()
    const tool = testTool("look", async () => {
      await here.pass()
      return { outcome: "done", output: "seen" }
    })
    const steps: readonly Step[] = [[{ call: { tool: "look", input: {} } }], [{ text: "changed" }]]
    const { parent, texts } = await parentOf(steps, { tools: [tool], door: { extended: true } })
    parent.send(go)
    await here.arrived
    parent.send({ type: "queue", id: "w", message: "also this" })
    expect(await parent.response("w")).toMatchObject({ command: "queue", ok: true })
    here.open()
    expect(await parent.response("p")).toMatchObject({ ok: true })
    expect(await texts()).toEqual(["go", "also this"])
    expect(parent.names.filter((name) => name === "agent_end")).toHaveLength(1)
  })

  it("starts a turn when none is running", async () => {
    const { parent } = await parentOf([[{ text: "one" }]], { door: { extended: true } })
    parent.send({ type: "queue", id: "w", message: "go" })
    expect(await parent.response("w")).toMatchObject({ command: "queue", ok: true })
    expect(parent.names).toContain("agent_end")
  })
})

describe("a parent that does not read", () => {
  const chunks = Array.from({ length: 20_000 }, (_, n) => `${n} `.padEnd(100, "·"))

  it("misses nothing, does not hold up the turn, and costs little memory", async () => {
    const { parent, session } = await parentOf([[{ chunks }]])
    parent.send({ type: "get_state", id: "g" })
    await parent.response("g")
    parent.isReading = false
    const ended = next(session, "turn.ended")
    parent.send(go)
    await ended
    expect(parent.unreadBytes).toBeLessThan(64 * 1024)
    parent.read()
    expect(await parent.response("p")).toMatchObject({ ok: true })
    expect(parent.text === chunks.join("")).toBe(true) // as an equation it would fill the screen
    expect(parent.names.length).toBeLessThan(1000)
  })

  it("may abort: the turn closes when it reads again", async () => {
    const here = gate()
    const { parent } = await parentOf([[{ chunks }, { gate: here }]])
    parent.send({ type: "get_state", id: "g" })
    await parent.response("g")
    parent.isReading = false
    parent.send(go)
    await here.arrived
    parent.send({ type: "abort", id: "a" })
    parent.read()
    expect(await parent.response("a")).toMatchObject({ ok: true })
    expect(parent.frames.slice(-2)).toMatchObject([
      { id: "p", cancelled: true },
      { id: "a", ok: true },
    ])
  })

  it("and sends more commands is not read until it reads", async () => {
    const { parent } = await parentOf([])
    parent.send({ type: "get_state", id: "first" })
    await parent.response("first")
    parent.isReading = false
    for (let n = 0; n < 2000; n++) parent.send({ type: "get_state", id: String(n) })
    expect(parent.isListenedTo).toBe(false)
    parent.read()
    await expect.poll(() => parent.isListenedTo).toBe(true)
    await parent.response("1999")
    const ids = parent.frames.flatMap((frame) => (frame.type === "response" ? [frame.id] : []))
    expect(ids.slice(1)).toEqual(Array.from({ length: 2000 }, (_, n) => String(n)))
  })
})
