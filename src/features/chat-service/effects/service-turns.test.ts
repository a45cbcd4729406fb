import { fixedSkills } from "../../../testing/skills.ts"
import { describe, expect, it } from "vitest"
import { history, newSession, next, testHost, testTool, turn, you } from "../../../testing/test-host.ts"
import { gate, scriptedSource, type Part } from "../../../testing/index.ts"
import { inOrder, serviceWorld, systemOf } from "../../../testing/service-world.ts"
import type { SessionDelta } from "../../../contract/deltas.ts"
import type { SessionActor } from "../../../runner/session-actor.ts"

const say = (text: string): Part => ({ text })
const call = (tool: string, input = {}): Part => ({ call: { tool, input } })
const look = testTool("look", () => ({ outcome: "done", output: "seen" }), { class: "read" })

function deltasOf(session: SessionActor): SessionDelta[] {
  const deltas: SessionDelta[] = []
  session.watch((item) => item.kind === "delta" && deltas.push(item.delta))
  return deltas
}

function textsOf(options: { readonly prompt: readonly { readonly role: string }[] } | undefined): readonly string[] {
  return options?.prompt.slice(1).map(({ role }) => role) ?? []
}

describe("a turn of a service session", () => {
  it("gives the model earlier turns as text, its own tool calls in full, and an output limit", async () => {
    const { session, requests } = await serviceWorld([[call("look")], [say("One.")], [call("look")], [say("Two.")]], {
      tools: [look],
    })
    await turn(session, "first")
    await turn(session, "second")
    expect(textsOf(requests[1])).toEqual(["user", "assistant", "tool"])
    expect(textsOf(requests[3])).toEqual(["user", "assistant", "user", "assistant", "tool"])
    expect(requests.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual(requests.map(() => 8192))
  })

  it("ends at the step limit and keeps the last text", async () => {
    const endless = Array.from({ length: 30 }, (_, n): readonly Part[] => [say(`Step ${n}.`), call("look", { n })])
    const { session, requests, events } = await serviceWorld(endless, { tools: [look] })
    expect(await turn(session, "go")).toMatchObject({ reason: "step-limit" })
    expect(requests).toHaveLength(20)
    const texts = (await events()).filter((event) => event.type === "text.ended")
    expect(texts.at(-1)).toMatchObject({ text: "Step 19." })
    expect(session.context.tracks["main"]?.at(-1)).toMatchObject({ parts: [{ text: "Step 19." }] })
  })

  it("is not compacted even if it exceeds the context window", async () => {
    const { models } = inOrder([[say("Fine.")]])
    const small = { resolve: async (name: string) => ({ ...(await models.resolve(name)), contextWindow: 100 }) }
    const { host, log } = await testHost(small)
    const session = await newSession(host, { preset: "service" })
    expect(await turn(session, "words ".repeat(500))).toMatchObject({ reason: "done" })
    expect((await history(log, session.id)).some(({ type }) => type === "compaction.started")).toBe(false)
  })
})

describe("an agent", () => {
  it("gets its instructions in every turn, the greeting in the first one, and nothing about the machine", async () => {
    const service = { instructions: "You sell shoes.", greeting: "Ahoy!" }
    const { session, requests } = await serviceWorld([[say("Ahoy.")], [say("Yes.")]], { change: { service } })
    await turn(session, "hi")
    await turn(session, "and?")
    expect(requests.map(systemOf).map((text) => [text.includes("You sell shoes."), text.includes("Ahoy!")])).toEqual([
      [true, true],
      [true, false],
    ])
    expect(systemOf(requests[0])).not.toContain("working folder")
  })

  it("without instructions gets the default ones", async () => {
    const { session, requests } = await serviceWorld([[say("Hello.")]])
    await turn(session, "hi")
    expect(systemOf(requests[0])).toContain("agent of a service")
  })

  it("uses a model and a skill for one turn, with the skill last in the prompt", async () => {
    const skills = fixedSkills({ returns: "Always ask for the receipt." })
    const { session, requests, events } = await serviceWorld([[say("Receipt?")], [say("Bye.")]], { change: { skills } })
    const ended = next(session, "turn.ended")
    const prompt = { type: "prompt", promptId: "prm_skilled", text: "return", ifBusy: "wait" } as const
    await session.send({ ...prompt, model: "quick", skill: "returns" }, you)
    await ended
    await turn(session, "bye")
    expect(systemOf(requests[0]).endsWith("Always ask for the receipt.")).toBe(true)
    expect(systemOf(requests[1])).not.toContain("receipt")
    const models = (await events()).flatMap((event) => (event.type === "step.started" ? [event.model] : []))
    expect(models).toEqual(["quick", "m"])
    expect(await events()).not.toContainEqual(expect.objectContaining({ text: expect.stringContaining("Always ask") }))
  })

  it("fails without the requested skill", async () => {
    const { session } = await serviceWorld([[say("Hm.")]])
    const ended = next(session, "turn.ended")
    await session.send({ type: "prompt", promptId: "prm_s", text: "return", ifBusy: "wait", skill: "gone" }, you)
    expect(await ended).toMatchObject({ reason: "failed", error: "There is no skill named gone." })
  })
})

describe("quick replies", () => {
  it("are stored beside the text, which equals the deltas", async () => {
    const line = '<quick-replies>["S", "L"]</quick-replies>'
    const { session, requests, events } = await serviceWorld([
      [{ chunks: ["Which ", "size?\n<qui", line.slice(4)] }],
      [say("Ok.")],
    ])
    const deltas = deltasOf(session)
    await turn(session, "shoes")
    expect(await events()).toContainEqual(
      expect.objectContaining({ type: "text.ended", text: "Which size?", suggestions: ["S", "L"] }),
    )
    expect(deltas.map((delta) => (delta.type === "text.delta" ? delta.delta : "")).join("")).toBe("Which size?")
    await turn(session, "S")
    expect(JSON.stringify(requests[1]?.prompt.slice(1))).not.toContain("quick-replies")
  })

  it("are plain text in other sessions", async () => {
    const { host, log } = await testHost(scriptedSource([[say('<quick-replies>["a"]</quick-replies>')]]))
    const session = await newSession(host)
    await turn(session, "hi")
    expect(await history(log, session.id)).toContainEqual(
      expect.objectContaining({ text: '<quick-replies>["a"]</quick-replies>' }),
    )
  })
})

describe("a preamble", () => {
  const service = { preamble: "quick" }

  function twoModels(answer: readonly Part[], quick: readonly Part[]) {
    const slow = scriptedSource([answer, [say("Again.")]])
    const fast = scriptedSource([quick], { costUsd: () => 0.25 })
    return { resolve: (name: string) => (name === "quick" ? fast : slow).resolve(name) }
  }

  it("is shown before the answer, not stored, and charged with it", async () => {
    const held = gate()
    const { host, log } = await testHost(
      twoModels([{ gate: held }, say("Found.")], [say(" I am looking. "), { usage: { input: 9, output: 4 } }]),
      [],
      { service },
    )
    const session = await newSession(host, { preset: "service" })
    const shown = new Promise<SessionDelta>((resolve) =>
      session.watch((item) => item.kind === "delta" && item.delta.type === "preamble" && resolve(item.delta)),
    )
    const ended = turn(session, "where is it?")
    expect(await shown).toMatchObject({ type: "preamble", turnId: session.state.turn?.id, text: "I am looking." })
    held.open()
    await ended
    const events = await history(log, session.id)
    expect(JSON.stringify(events)).not.toContain("I am looking")
    expect(events.find(({ type }) => type === "response.ended")).toMatchObject({
      aside: { model: "quick", usage: { input: 9, output: 4 }, costUsd: 0.25 },
    })
    expect(session.state.spent.usd).toBe(0.25)
    expect(session.status.usage.turn).toMatchObject({ usd: 0.25, modelCalls: 2 })
  })

  it("that arrives after the first token is not shown", async () => {
    const quick = gate()
    const held = gate()
    const answered = Promise.withResolvers<void>()
    const { resolve } = twoModels([{ chunks: ["Found."] }, { gate: held }], [{ gate: quick }, say("I am looking.")])
    const costUsd = () => (answered.resolve(), 0.25)
    const models = {
      resolve: async (name: string) => ({ ...(await resolve(name)), ...(name === "quick" ? { costUsd } : {}) }),
    }
    const { host } = await testHost(models, [], { service })
    const session = await newSession(host, { preset: "service" })
    const deltas = deltasOf(session)
    const ended = turn(session, "where is it?")
    await Promise.all([quick.arrived, held.arrived])
    quick.open()
    await answered.promise
    await new Promise(setImmediate) // whatever follows from the sentence has happened
    held.open()
    await ended
    expect(deltas.map(({ type }) => type)).toEqual(["text.delta"])
  })

  it("that fails does not affect the turn and is logged", async () => {
    const warnings: string[] = []
    const warn = (message: string) => void warnings.push(message)
    const held = gate()
    const models = twoModels([{ gate: held }, say("Found.")], [{ error: { message: "no", status: 400 } }])
    const told = Promise.withResolvers<void>()
    const { host, log } = await testHost(models, [], { service, warn: (message) => (warn(message), told.resolve()) })
    const session = await newSession(host, { preset: "service" })
    const ended = turn(session, "where is it?")
    await told.promise
    held.open()
    expect(await ended).toMatchObject({ reason: "done" })
    expect(warnings).toMatchObject([expect.stringContaining("preamble failed")])
    expect((await history(log, session.id)).find(({ type }) => type === "response.ended")).not.toHaveProperty(
      "aside.usage",
    )
  })
})
