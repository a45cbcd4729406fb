import { describe, expect, it } from "vitest"
import { contextItems } from "../projection/context.ts"
import { history, newSession, next, prompt, testHost, testTool, turn, you } from "../testing/test-host.ts"
import { gate, scriptedSource } from "../testing/index.ts"
import { call, deltasOf, echo, say, types } from "./fixtures/turns.ts"

describe("a turn", () => {
  it("streams text and stores it whole at the end", async () => {
    const { host, log } = await testHost(scriptedSource([[{ chunks: ["Hel", "lo."] }]]))
    const session = await newSession(host)
    const deltas = deltasOf(session)
    await turn(session, "hi")
    expect(deltas).toMatchObject([
      { type: "text.delta", delta: "Hel" },
      { type: "text.delta", delta: "lo." },
    ])
    expect(types(await history(log, session.id))).toEqual([
      "session.created",
      "prompt.admitted",
      "turn.started",
      "prompt.promoted",
      "step.started",
      "text.ended",
      "response.ended",
      "step.ended",
      "turn.ended",
    ])
  })

  it("runs the calls of a step in parallel and continues with their results", async () => {
    const slow = gate()
    const tools = [echo, testTool("slow", async () => (await slow.pass(), { outcome: "done", output: "slow" }))]
    const models = scriptedSource([
      [call("slow"), call("echo", { n: 1 })],
      [{ expect: { toolResult: "slow" } }, say("Both.")],
    ])
    const { host, log } = await testHost(models, tools)
    const session = await newSession(host)
    const echoed = next(session, "tool.ended")
    const ended = turn(session, "do both")
    await slow.arrived
    expect(await echoed).toMatchObject({ output: '{"n":1}' })
    slow.open()
    expect(await ended).toMatchObject({ reason: "done" })
    expect((await history(log, session.id)).filter((event) => event.type === "tool.ended")).toHaveLength(2)
  })

  it("stores the intent before the tool acts and the receipt after", async () => {
    const seen: string[] = []
    const { host } = await testHost(scriptedSource([[call("look")], [say("ok")]]), [
      testTool("look", async (_input, { sessionId }) => {
        const stored = await host.log.read(sessionId, 0, 100)
        if (stored.kind === "ok") seen.push(...types(stored.value.map(({ event }) => event)))
        return { outcome: "done", output: "" }
      }),
    ])
    await turn(await newSession(host), "look")
    expect(seen).toContain("tool.started")
    expect(seen).not.toContain("tool.ended")
  })

  it.each([
    ["is not JSON", { call: { tool: "echo", inputText: '{"a":' } }, "not valid JSON"],
    ["names no tool", call("ech"), "There is no tool named ech"],
  ])("reports to the model when a call %s, and continues", async (_, part, reason) => {
    const { host, log } = await testHost(scriptedSource([[part], [say("Sorry.")]]), [echo])
    const session = await newSession(host)
    expect(await turn(session, "go")).toMatchObject({ reason: "done" })
    const refused = (await history(log, session.id)).find((event) => event.type === "tool.refused")
    expect(refused).toMatchObject({ reason: expect.stringContaining(reason) })
  })

  it("stores a call with our names of its tool and fields, whatever other agents call them", async () => {
    const read = testTool("read", (input) => ({ outcome: "done", output: JSON.stringify(input) }), { class: "read" })
    const { host, log } = await testHost(scriptedSource([[call("Read", { file_path: "a" })], [say("ok")]]), [read])
    const session = await newSession(host)
    const deltas = deltasOf(session)
    await turn(session, "go")
    const events = await history(log, session.id)
    expect(events).toContainEqual(expect.objectContaining({ type: "tool.called", tool: "read", input: { path: "a" } }))
    expect(events).toContainEqual(expect.objectContaining({ type: "tool.ended", output: '{"path":"a"}' }))
    const names = deltas.flatMap((delta) => (delta.type === "tool-input.delta" ? delta.tool : []))
    expect(new Set(names)).toEqual(new Set(["read"]))
  })

  it("stores the images of a result, and keeps them in what the model gets", async () => {
    const images = [{ name: "a.png", mediaType: "image/png", data: "iVBORw0KGgo=" }]
    const look = testTool("look", () => ({ outcome: "done", output: "a.png", images }), { class: "read" })
    const { host, log } = await testHost(scriptedSource([[call("look")], [say("A picture.")]]), [look])
    const session = await newSession(host)
    await turn(session, "go")
    expect(await history(log, session.id)).toContainEqual(expect.objectContaining({ type: "tool.ended", images }))
    const results = contextItems(session.context).flatMap((item) => (item.kind === "assistant" ? [item.results] : []))
    expect(Object.values(results[0] ?? {})).toEqual([{ output: "a.png", failed: false, images }])
  })

  it("continues when a tool throws", async () => {
    const broken = testTool("broken", () => Promise.reject(new Error("no disk")))
    const { host, log } = await testHost(scriptedSource([[call("broken")], [say("It failed.")]]), [broken])
    const session = await newSession(host)
    expect(await turn(session, "go")).toMatchObject({ reason: "done" })
    expect(await history(log, session.id)).toContainEqual(
      expect.objectContaining({ outcome: "failed", output: "The tool failed: no disk" }),
    )
  })

  it("that fails after text keeps the text", async () => {
    const { host, log } = await testHost(
      scriptedSource([[{ chunks: ["Half "] }, { error: { message: "overloaded", status: 400 } }]]),
    )
    const session = await newSession(host)
    expect(await turn(session, "hi")).toMatchObject({ reason: "failed" })
    expect(await history(log, session.id)).toContainEqual(
      expect.objectContaining({ type: "text.ended", text: "Half ", interrupted: true }),
    )
  })

  it("delivers a steering prompt at the next tool boundary", async () => {
    const busy = gate()
    const tool = testTool("work", async () => (await busy.pass(), { outcome: "done", output: "" }))
    const { host, log } = await testHost(
      scriptedSource([[call("work")], [{ expect: { lastUserText: "faster" } }, say("Yes.")]]),
      [tool],
    )
    const session = await newSession(host)
    const ended = turn(session, "go")
    await busy.arrived
    await prompt(session, "faster", "steer")
    busy.open()
    expect(await ended).toMatchObject({ reason: "done" })
    expect((await history(log, session.id)).filter((event) => event.type === "turn.started")).toHaveLength(1)
  })
})

describe("references", () => {
  it("are hinted at in requests if enabled, and the prompt is stored unchanged", async () => {
    for (const hintsReferences of [true, false]) {
      const models = scriptedSource([[say("Read.")], [say("Fixed.")]])
      const { host, log } = await testHost(models, [], { hintsReferences })
      const session = await newSession(host)
      await turn(session, "Look at src/a.ts")
      await turn(session, "Fix it")
      const request = JSON.stringify(models.model.calls.at(-1)?.prompt)
      expect(request.includes("it = src/a.ts")).toBe(hintsReferences)
      const events = await history(log, session.id)
      const said = events.flatMap((event) => (event.type === "prompt.admitted" ? [event.text] : []))
      expect(said).toEqual(["Look at src/a.ts", "Fix it"])
    }
  })
})

describe("tool modes and plan mode", () => {
  it("are enforced where tools run, not only where they are offered", async () => {
    let runs = 0
    const bash = testTool("bash", () => ({ outcome: "done", output: String((runs += 1)) }))
    const { host } = await testHost(scriptedSource([[call("bash")], [say("No.")], [call("bash")], [say("No.")]]), [
      bash,
    ])
    const session = await newSession(host)
    await session.send({ type: "enter-plan" }, you)
    await turn(session, "change things")
    await session.send({ type: "exit-plan" }, you)
    await session.send({ type: "select-tools", mode: "None" }, you)
    await turn(session, "change things")
    expect(runs).toBe(0)
  })
})
