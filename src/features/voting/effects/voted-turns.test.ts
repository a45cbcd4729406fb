import { describe, expect, it } from "vitest"
import type { SessionDelta } from "../../../contract/deltas.ts"
import type { Voting } from "../../../contract/values.ts"
import { emptyTranscript, foldTranscript } from "../../../projection/transcript.ts"
import { history, newSession, testHost, testTool, turn, you } from "../../../testing/test-host.ts"
import type { Part } from "../../../testing/index.ts"
import { inOrder } from "../../../testing/service-world.ts"
import type { NewSession } from "../../../host/open-sessions.ts"

const perToken = ({ output }: { readonly output: number }) => output / 1000
const voting: Voting = { ahead: 2, samples: 10, parallel: 1 }
const look = testTool("look", () => ({ outcome: "done", output: "seen" }), { class: "read" })
const say = (text: string): readonly Part[] => [{ text }]
const call = (input: object): readonly Part[] => [{ call: { tool: "look", input: { ...input } } }]

async function world(answers: readonly (readonly Part[])[], tools = [look], change: Partial<NewSession> = {}) {
  const { models, requests } = inOrder(answers)
  const { host, log } = await testHost(models, tools)
  const session = await newSession(host, change)
  const deltas: SessionDelta[] = []
  session.watch((item) => item.kind === "delta" && deltas.push(item.delta))
  const events = () => history(log, session.id)
  return { session, asked: requests, deltas, events }
}

describe("a turn with votes", () => {
  it("shows the winning answer and no text of the others", async () => {
    const { session, deltas, events } = await world([say("five"), say("four"), say("four"), say("four")])
    await session.send({ type: "select-voting", voting }, you)
    expect(await turn(session, "2 + 2?")).toMatchObject({ reason: "done" })
    const texts = (await events()).filter((event) => event.type === "text.ended")
    expect(texts).toMatchObject([{ text: "four" }])
    expect(deltas.flatMap((delta) => (delta.type === "text.delta" ? [delta.delta] : [])).join("")).toBe("four")
    const said = deltas.flatMap((delta) => (delta.type === "voting.progressed" ? [delta.message] : []))
    expect(said).toEqual([
      "vote: probably 4 answers, 0.0000 USD; at most 10 answers, 0.0000 USD",
      "vote 1: 1-0",
      "vote 2: 1-1",
      "vote 3: 2-1",
      "vote 4: 3-1",
    ])
    const ended = (await events()).find((event) => event.type === "response.ended")
    expect(ended).toMatchObject({ votes: { counted: 4, discarded: 0, lead: 2, ahead: 2 } })
    expect(session.status.usage.total.modelCalls).toBe(4)
  })

  it("says in the event and in the transcript that it is undecided", async () => {
    const { session, events } = await world([say("yes"), say("no"), say("yes"), say("no")])
    await session.send({ type: "select-voting", voting: { ...voting, samples: 4 } }, you)
    expect(await turn(session, "?")).toMatchObject({ reason: "done" })
    const recorded = (await events()).map((event, index) => ({ seq: index + 1, at: 0, event }))
    const response = recorded.find(({ event }) => event.type === "response.ended")
    expect(response?.event).toMatchObject({ votes: { counted: 4, lead: 0, undecided: { best: 2, next: 2 } } })
    const { items } = recorded.reduce(foldTranscript, emptyTranscript())
    expect(items).toContainEqual(
      expect.objectContaining({ kind: "notice", text: expect.stringContaining("undecided: after 4 answers") }),
    )
  })

  it("announces its likely and its highest cost", async () => {
    const { models } = inOrder([say("a"), say("a")])
    const priced = { resolve: async (name: string) => ({ ...(await models.resolve(name)), costUsd: perToken }) }
    const { host } = await testHost(priced, [look])
    const session = await newSession(host)
    const announced = new Promise<string>((resolve) =>
      session.watch(
        (item) => item.kind === "delta" && item.delta.type === "voting.progressed" && resolve(item.delta.message),
      ),
    )
    await session.send({ type: "select-voting", voting: { ...voting, usd: 0.5 } }, you)
    await turn(session, "?")
    expect(await announced).toBe(
      "vote: probably 4 answers, 3.0000 USD; at most 10 answers, 1000.0000 USD; it stops at 0.5 USD, probably without a decision",
    )
  })

  it("runs the chosen tool call once", async () => {
    let runs = 0
    const counting = testTool("look", () => ({ outcome: "done", output: String((runs += 1)) }), { class: "read" })
    const answers = [call({ a: 1, b: 2 }), call({ b: 2, a: 1 }), say("done"), say("done")]
    const { session } = await world(answers, [counting])
    await session.send({ type: "select-voting", voting }, you)
    expect(await turn(session, "look")).toMatchObject({ reason: "done" })
    expect(runs).toBe(1)
  })

  it("sends one request where a tool can change something, except in plan mode", async () => {
    const write = testTool("write", () => ({ outcome: "done", output: "" }))
    const { session, asked } = await world([say("one"), say("two"), say("two")], [write])
    await session.send({ type: "select-voting", voting }, you)
    await turn(session, "go")
    expect(asked).toHaveLength(1)
    await session.send({ type: "enter-plan" }, you)
    await turn(session, "plan")
    expect(asked).toHaveLength(3)
  })

  it("applies from the next turn on, and ends when it is switched off", async () => {
    const { session, asked } = await world([say("a"), say("a"), say("a")])
    await session.send({ type: "select-voting", voting }, you)
    await turn(session, "one")
    await session.send({ type: "select-voting" }, you)
    await turn(session, "two")
    expect(asked).toHaveLength(3)
  })

  it("stops when it is interrupted, without further requests", async () => {
    const { session, asked } = await world([[{ hang: true }]])
    await session.send({ type: "select-voting", voting }, you)
    const over = turn(session, "wait")
    await session.send({ type: "interrupt" }, you)
    expect(await over).toMatchObject({ reason: "interrupted" })
    expect(asked.length).toBeLessThanOrEqual(1)
  })

  it("fails with the reason when no answer can be counted", async () => {
    const { session } = await world([say("Wait, no"), say("Wait, yes")])
    await session.send({ type: "select-voting", voting: { ...voting, samples: 2 } }, you)
    expect(await turn(session, "?")).toMatchObject({
      reason: "failed",
      error: "None of 2 answers could be counted: of the last one, it corrects itself.",
    })
  })

  it("requests no more answers than the budget allows", async () => {
    const { session, asked } = await world([say("a"), say("b"), say("b")], [look], { budget: { tokens: 250_000 } })
    await session.send({ type: "select-voting", voting }, you)
    expect(await turn(session, "?")).toMatchObject({ reason: "done" })
    expect(asked).toHaveLength(2) // an answer may have 100,000 tokens, and none is paid for before all are there
  })
})
