import { describe, expect, it } from "vitest"
import type { SessionEvent } from "../../../contract/events.ts"
import type { JsonValue } from "../../../contract/values.ts"
import { next, prompt, reopen, testHost, testTool, turn, you } from "../../../testing/test-host.ts"
import { gate, type Part } from "../../../testing/index.ts"
import { inOrder, serviceWorld, visit } from "../../../testing/service-world.ts"
import { serviceTools } from "../tools.ts"
import type { SessionActor } from "../../../runner/session-actor.ts"
import { toolsOfTurn } from "../../../runner/tools/tool-set.ts"

const say = (text: string): Part => ({ text })
const call = (tool: string, input: JsonValue = {}): Part => ({ call: { tool, input } })
const intake = call("request_identity_intake", { fields: ["email"], reason: " " })
const cards = ["identity_form", "choice_chips"]

function resultIn(events: readonly SessionEvent[]): unknown {
  const ended = events.find((event) => event.type === "tool.ended")
  return ended?.type === "tool.ended" ? JSON.parse(ended.output) : undefined
}

function answer(session: SessionActor, interactionId: string, values: JsonValue) {
  return session.send({ type: "answer", interactionId, values }, you)
}

describe("a call that only the visitor can answer", () => {
  it("waits for the card, whose answer is its result", async () => {
    const script = [[intake], [say("Thanks.")]]
    const { session, events, requests } = await serviceWorld(script, {
      supports: cards,
      change: { approvalWaitMs: 300_000 },
    })
    const requested = next(session, "interaction.requested")
    const ended = turn(session, "where is my order?")
    const { interactionId, ...asked } = await requested
    expect(asked).toMatchObject({ kind: "identity_intake", reason: "to help you better" })
    expect(asked.spec).toEqual({ fields: [{ key: "email", required: true }] })
    expect(asked.expiresAt).toBeGreaterThan(Date.now())
    expect(interactionId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(await answer(session, interactionId, { email: "a@" })).toMatchObject({
      refusal: { code: "interaction.invalid", errors: [{ field: "email" }] },
    })
    await answer(session, interactionId, { email: "a@B.example" })
    expect(await ended).toMatchObject({ reason: "done" })
    expect(JSON.stringify(requests.at(-1))).toContain("a@b.example")
    expect(session.state.contact).toEqual({ email: "a@b.example" })
    expect((await events()).some(({ type }) => type === "tool.started")).toBe(false)
  })

  it("expires without an answer, and the turn continues", async () => {
    const script = [[intake], [say("Never mind.")]]
    const { session, events } = await serviceWorld(script, { supports: cards, change: { approvalWaitMs: 0 } })
    expect(await turn(session, "hi")).toMatchObject({ reason: "done" })
    expect(resultIn(await events())).toMatchObject({ status: "no_response" })
  })

  it("is refused when the model's input is invalid, without asking the visitor", async () => {
    const script = [[call("request_choices", { questions: [] })], [say("Sorry.")]]
    const { session, events } = await serviceWorld(script, { supports: cards })
    expect(await turn(session, "hi")).toMatchObject({ reason: "done" })
    const refused = (await events()).find(({ type }) => type === "tool.refused")
    expect(refused).toMatchObject({ reason: expect.stringContaining("one to four questions") })
    expect((await events()).some(({ type }) => type === "interaction.requested")).toBe(false)
  })

  it("is requested once and can be answered after its host has died", async () => {
    const { session, log, crash, events } = await serviceWorld([[intake]], { supports: cards })
    const requested = next(session, "interaction.requested")
    await prompt(session, "where is my order?")
    const { interactionId } = await requested
    await crash()
    const { host } = await testHost(inOrder([[say("Thanks.")]]).models, serviceTools(), { adopts: true }, log, 2)
    const again = await reopen(host, session.id)
    expect(again.state.interactions).toMatchObject([{ id: interactionId }])
    const ended = next(again, "turn.ended")
    expect(await answer(again, interactionId, { email: "a@b.example" })).toMatchObject({ kind: "accepted" })
    expect(await ended).toMatchObject({ reason: "done" })
    expect((await events()).filter(({ type }) => type === "interaction.requested")).toHaveLength(1)
    expect(resultIn(await events())).toMatchObject({ status: "submitted" })
  })

  it("expires after a restart at the same time", async () => {
    let now = 1_000_000
    const change = { approvalWaitMs: 300_000, now: () => now }
    const { session, log, crash, events } = await serviceWorld([[intake]], { supports: cards, change })
    const requested = next(session, "interaction.requested")
    await prompt(session, "hi")
    await requested
    await crash()
    now += 300_000
    const { host } = await testHost(inOrder([[say("Never mind.")]]).models, serviceTools(), change, log, 2)
    const opened = await host.open(session.id, "at rest")
    if (opened.kind === "refused") throw new Error(opened.refusal.code)
    const ended = next(opened.session, "turn.ended")
    opened.session.begin()
    expect(await ended).toMatchObject({ reason: "done" })
    expect(resultIn(await events())).toMatchObject({ status: "no_response" })
  })
})

describe("if the client shows no cards", () => {
  it("the model asks in text and submits the answer", async () => {
    const values = { email: "a@B.example" }
    const script = [
      [intake],
      [call("submit_interaction", { kind: "identity_intake", values: {} })],
      [call("submit_interaction", { kind: "identity_intake", values })],
      [say("Thanks.")],
    ]
    const { session, events, requests } = await serviceWorld(script, { supports: ["choice_chips"] })
    expect(await turn(session, "hi")).toMatchObject({ reason: "done" })
    expect(JSON.stringify(requests[2])).toContain("values: nothing was given")
    expect(resultIn(await events())).toEqual({
      mode: "conversational",
      kind: "identity_intake",
      spec: { fields: [{ key: "email", required: true }] },
      reason: "to help you better",
      instructions: expect.stringContaining("submit_interaction"),
    })
    expect(session.state.contact).toEqual({ email: "a@b.example" })
  })

  it("an answer to a request of an earlier turn is checked for its form only", async () => {
    const submit = (input: JsonValue) => call("submit_interaction", input)
    const script = [
      [intake],
      [say("What is your e-mail address?")],
      [submit({ kind: "identity_intake", values: { name: "Ada" } })],
      [say("Thanks, Ada.")],
    ]
    const { session } = await serviceWorld(script)
    await turn(session, "hi")
    await turn(session, "I am Ada")
    expect(session.state.contact).toEqual({ name: "Ada" })
  })

  it("submit_interaction is offered, and otherwise not", async () => {
    const { session } = await serviceWorld([])
    const offered = () => toolsOfTurn(session.state, session.tools).map(({ name }) => name)
    expect(offered()).toContain("submit_interaction")
    await visit(session, cards)
    expect(offered()).toEqual(["escalate", "request_identity_intake", "request_choices"])
    await visit(session, [])
    expect(offered()).toContain("submit_interaction")
  })
})

describe("a tool", () => {
  it("that escalates has the reason in the details of its result", async () => {
    const script = [[call("escalate", { reason: "The visitor wants a person." })], [say("Somebody will come.")]]
    const { session, events } = await serviceWorld(script)
    await turn(session, "a person please")
    const ended = (await events()).find(({ type }) => type === "tool.ended")
    expect(ended).toMatchObject({ outcome: "done", details: { escalation: "The visitor wants a person." } })
  })

  it("gets the files of its turn's prompts, which the model does not see", async () => {
    const seen: unknown[] = []
    const take = testTool("take", async (_input, { files }) => {
      seen.push(await files?.())
      return { outcome: "done", output: "taken" }
    })
    const held = gate()
    const script = [[{ gate: held }, call("take")], [say("Got it.")], [call("take")], [say("Nothing.")]]
    const { session, requests } = await serviceWorld(script, { tools: [take] })
    const file = { name: "order.pdf", mediaType: "application/pdf", url: "data:application/pdf;base64,AAAA" }
    const send = (n: number, files: (typeof file)[]) =>
      session.send({ type: "prompt", promptId: `prm_f${n}`, text: `words ${n}`, ifBusy: "wait", files }, you)
    let ended = 0
    const both = next(session, "turn.ended", () => (ended += 1) === 2)
    await send(1, [file])
    await held.arrived
    await send(2, [])
    held.open()
    await both
    expect(seen).toEqual([[file], []])
    expect(JSON.stringify(requests)).not.toContain("order.pdf")
  })
})
