import { describe, expect, it } from "vitest"
import type { SessionDelta } from "../contract/deltas.ts"
import type { SessionEvent } from "../contract/events.ts"
import { contextItems } from "../projection/context.ts"
import { history, newSession, next, prompt, reopen, testHost, testTool, turn, you } from "../testing/test-host.ts"
import { gate, scriptedSource, type Part } from "../testing/index.ts"
import { LiveStep } from "./model/live-step.ts"
import type { SessionActor } from "./session-actor.ts"

const say = (text: string): Part => ({ text })
const call = (tool: string, input = {}): Part => ({ call: { tool, input } })

function types(events: readonly SessionEvent[]): readonly string[] {
  return events.map((event) => event.type)
}

function deltasOf(session: SessionActor): SessionDelta[] {
  const deltas: SessionDelta[] = []
  session.watch((item) => item.kind === "delta" && deltas.push(item.delta))
  return deltas
}

const echo = testTool("echo", (input) => ({ outcome: "done", output: JSON.stringify(input) }), { class: "read" })

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

describe("an interrupt", () => {
  it("aborts the model at once and keeps its text", async () => {
    const { host, log } = await testHost(scriptedSource([[{ chunks: ["Once "] }, { hang: true }]]))
    const session = await newSession(host)
    const ended = turn(session, "tell")
    await new Promise<void>((resolve) => session.watch((item) => item.kind === "delta" && resolve()))
    await session.send({ type: "interrupt" }, you)
    expect(await ended).toMatchObject({ reason: "interrupted", by: you })
    expect(await history(log, session.id)).toContainEqual(expect.objectContaining({ text: "Once ", interrupted: true }))
  })

  it("publishes no text that the stored text lacks, also when the model writes while it is stored", async () => {
    const { host, log } = await testHost(scriptedSource([[{ hang: true }]]))
    const session = await newSession(host)
    const ended = turn(session, "tell")
    const stepId = (await next(session, "step.started")).stepId
    const publish = (delta: SessionDelta) => session.publish(delta)
    const live = new LiveStep(stepId, { ...session.services, publish })
    session.stream(live)
    const shown: string[] = []
    session.watch((item) => item.kind === "delta" && item.delta.type === "text.delta" && shown.push(item.delta.delta))
    live.accept({ type: "text-delta", id: "a", delta: "Once " })
    const append = log.append.bind(log)
    log.append = (...given) => {
      live.accept({ type: "text-delta", id: "a", delta: "upon " })
      return append(...given)
    }
    await session.send({ type: "interrupt" }, you)
    await ended
    live.accept({ type: "text-delta", id: "a", delta: "a time" })
    expect(shown.join("")).toBe("Once ")
    expect(await history(log, session.id)).toContainEqual(expect.objectContaining({ text: "Once ", interrupted: true }))
  })

  it("ends the turn although a tool does not stop, and drops its later result", async () => {
    const stubborn = gate()
    const tool = testTool("stubborn", async () => (await stubborn.pass(), { outcome: "done", output: "late" }))
    const { host, log } = await testHost(scriptedSource([[call("stubborn")], [say("Next.")]]), [tool])
    const session = await newSession(host)
    const ended = turn(session, "go")
    await stubborn.arrived
    await session.send({ type: "interrupt" }, you)
    expect(await ended).toMatchObject({ reason: "interrupted" })
    stubborn.open()
    expect(await turn(session, "again")).toMatchObject({ reason: "done" })
    const results = (await history(log, session.id)).filter((event) => event.type === "tool.ended")
    expect(results).toMatchObject([{ outcome: "cancelled" }])
  })
})

describe("an approval", () => {
  const careful = { preset: "careful" } as const
  const script = [[call("rm")], [say("Done.")]]

  it("delays an unsafe call until any client approves it", async () => {
    let runs = 0
    const rm = testTool("rm", () => ({ outcome: "done", output: String((runs += 1)) }))
    const { host } = await testHost(scriptedSource(script), [rm])
    const session = await newSession(host, careful)
    const asked = next(session, "approval.requested")
    const ended = turn(session, "go")
    const { approvalId, digest } = await asked
    expect(runs).toBe(0)
    expect((await session.send({ type: "approve", approvalId, approved: true, digest }, you)).kind).toBe("accepted")
    expect(await ended).toMatchObject({ reason: "done" })
    expect(runs).toBe(1)
    expect(await session.send({ type: "approve", approvalId, approved: false }, you)).toMatchObject({
      refusal: { code: "approval.settled", outcome: "approved" },
    })
  })

  it("that expires refuses the call and the turn continues", async () => {
    const rm = testTool("rm", () => ({ outcome: "done", output: "" }))
    const { host, log } = await testHost(scriptedSource(script), [rm], { approvalWaitMs: 0 })
    const session = await newSession(host, careful)
    expect(await turn(session, "go")).toMatchObject({ reason: "done" })
    expect(types(await history(log, session.id))).not.toContain("tool.started")
  })

  it("survives a restart", async () => {
    let runs = 0
    const rm = testTool("rm", () => ({ outcome: "done", output: String((runs += 1)) }))
    const first = await testHost(scriptedSource(script), [rm])
    const session = await newSession(first.host, careful)
    const asked = next(session, "approval.requested")
    await prompt(session, "go")
    const { approvalId } = await asked
    await first.crash()
    const second = await testHost(scriptedSource(script), [rm], {}, first.log)
    const again = await reopen(second.host, session.id)
    const ended = next(again, "turn.ended")
    await again.send({ type: "approve", approvalId, approved: true }, you)
    expect(await ended).toMatchObject({ reason: "done" })
    expect(runs).toBe(1)
  })
})

describe("after a crash", () => {
  it("streamed text is stored and the answer continues", async () => {
    const script = [[{ chunks: ["Once "] }, { hang: true }, { chunks: ["upon."] }]] as const
    const first = await testHost(scriptedSource(script))
    const session = await newSession(first.host)
    await prompt(session, "tell")
    await new Promise<void>((resolve) => session.watch((item) => item.kind === "delta" && resolve()))
    await expect
      .poll(async () => (await first.log.load(session.id)).kind === "ok" && streamedText(first.log, session.id))
      .toBe("Once ")
    await first.crash()
    const second = await testHost(scriptedSource([[{ chunks: ["Once ", "upon."] }]]), [], {}, first.log)
    const again = await reopen(second.host, session.id)
    await next(again, "turn.ended")
    expect(contextItems(again.context).at(-1)).toMatchObject({ parts: [{ kind: "text", text: "Once upon." }] })
    expect(await streamedText(first.log, session.id)).toBe("")
  })

  it("an unsafe call is not repeated and the model learns of it", async () => {
    let runs = 0
    const begun = gate()
    const pay = testTool("pay", async () => ((runs += 1), await begun.pass(), { outcome: "done", output: "paid" }))
    const first = await testHost(scriptedSource([[call("pay")]]), [pay])
    const session = await newSession(first.host)
    await prompt(session, "pay")
    await begun.arrived
    await first.crash()
    const second = await testHost(
      scriptedSource([[call("pay")], [{ expect: { toolResult: "unknown" } }, say("I do not know.")]]),
      [pay],
      {},
      first.log,
    )
    const again = await reopen(second.host, session.id)
    expect(await next(again, "turn.ended")).toMatchObject({ reason: "done" })
    expect(runs).toBe(1)
  })

  it("a call that may be repeated runs again, once, with the same key", async () => {
    const keys: string[] = []
    const begun = gate()
    const look = testTool(
      "look",
      async (_, context) => {
        keys.push(context.idempotencyKey)
        if (keys.length === 1) await begun.pass()
        return { outcome: "done", output: "seen" }
      },
      { class: "keyed" },
    )
    const first = await testHost(scriptedSource([[call("look")]]), [look])
    const session = await newSession(first.host)
    await prompt(session, "look")
    await begun.arrived
    await first.crash()
    const second = await testHost(scriptedSource([[call("look")], [say("Seen.")]]), [look], {}, first.log)
    expect(await next(await reopen(second.host, session.id), "turn.ended")).toMatchObject({ reason: "done" })
    expect(keys).toHaveLength(2)
    expect(keys[0]).toBe(keys[1])
  })

  it("the old owner cannot write and reports that to its watchers", async () => {
    const first = await testHost(scriptedSource([[say("a")]]))
    const session = await newSession(first.host)
    await first.crash()
    const second = await testHost(scriptedSource([[say("b")]]), [], {}, first.log)
    await reopen(second.host, session.id)
    const lost = new Promise((resolve) => session.watch((item) => item.kind === "lost" && resolve(item.refusal.code)))
    expect(await session.send({ type: "rename", name: "mine" }, you)).toMatchObject({ refusal: { code: "log.fenced" } })
    expect(await lost).toBe("log.fenced")
  })
})

describe("compaction", () => {
  it("summarises with the model and keeps the whole log", async () => {
    const { host, log } = await testHost(scriptedSource([[say("Hello.")]]))
    const session = await newSession(host)
    await turn(session, "hi")
    const compacted = next(session, "context.compacted")
    await session.send({ type: "compact" }, you)
    expect(await compacted).toMatchObject({ summary: expect.stringContaining("hi") })
    expect(contextItems(session.context)).toMatchObject([{ kind: "summary", text: expect.stringContaining("Hello.") }])
    expect(await history(log, session.id)).toContainEqual(
      expect.objectContaining({ type: "text.ended", text: "Hello." }),
    )
  })

  it("happens automatically before the context is full, and the turn continues", async () => {
    const long = "word ".repeat(2000)
    const models = scriptedSource([[say("Noted.")], [say("Still here.")]], { contextWindow: 4000 })
    const { host, log } = await testHost(models)
    const session = await newSession(host)
    await turn(session, long)
    expect(await turn(session, `${long} and now?`)).toMatchObject({ reason: "done" })
    const events = await history(log, session.id)
    expect(types(events)).toContain("context.compacted")
    expect(events.filter((event) => event.type === "turn.ended")).toHaveLength(2)
  })
})

describe("a budget", () => {
  it("parks the turn before a call that could exceed it, and resumes when it is raised", async () => {
    const models = scriptedSource([[say("Paid.")]], { costUsd: () => 2 })
    const { host } = await testHost(models)
    const session = await newSession(host, { budget: { usd: 1 } })
    const parked = next(session, "turn.parked")
    const ended = turn(session, "go")
    expect(await parked).toMatchObject({ why: "budget", message: expect.stringContaining("1 USD") })
    await session.send({ type: "raise-budget", budget: { usd: 10 } }, you)
    expect(await ended).toMatchObject({ reason: "done" })
    expect(session.state.spent.usd).toBe(2)
  })

  it("in USD refuses a model without a price", async () => {
    const { host } = await testHost(scriptedSource([[say("x")]], { costUsd: () => undefined }))
    const session = await newSession(host, { budget: { usd: 1 } })
    const parked = next(session, "turn.parked")
    await prompt(session, "go")
    expect(await parked).toMatchObject({ message: expect.stringContaining("no price is known") })
  })
})

describe("references", () => {
  it("are hinted at in requests if enabled, and the prompt is stored unchanged", async () => {
    for (const hintsReferences of [true, false]) {
      const models = scriptedSource([[say("Read.")], [say("Mended.")]])
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

describe("a child session", () => {
  it("works on its task, and its parent gets the result and the cost", async () => {
    const models = scriptedSource([[say("The answer is 4.")]], { costUsd: () => 0.5 })
    const { host, log } = await testHost(models)
    const parent = await newSession(host)
    const childId = "01890000-0000-7000-8000-0000000000aa"
    const ended = next(parent, "child.ended")
    await parent.send({ type: "spawn", childId, task: "what is 2 + 2?" }, you)
    expect(await ended).toMatchObject({ outcome: "done", result: "The answer is 4.", costUsd: 0.5 })
    expect((await history(log, childId))[0]).toMatchObject({ parent: { sessionId: parent.id, depth: 1 } })
    expect(parent.state.spent.usd).toBe(0.5)
  })
})

async function streamedText(log: Awaited<ReturnType<typeof testHost>>["log"], sessionId: string): Promise<string> {
  const loaded = await log.load(sessionId)
  if (loaded.kind === "refused") throw new Error(loaded.refusal.code)
  return loaded.value.streamed.flatMap(({ blocks }) => blocks.map(({ text }) => text)).join("")
}
