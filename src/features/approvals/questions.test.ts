import { describe, expect, it } from "vitest"
import type { SessionActor } from "../../runner/session-actor.ts"
import { scriptedSource, type Step } from "../../testing/index.ts"
import { history, newSession, next, prompt, reopen, testHost, you, type TestHost } from "../../testing/test-host.ts"
import { askTool } from "../../tools/asking/ask.ts"

const options = [{ label: "PostgreSQL", description: "A server" }, { label: "SQLite" }]
const input = { questions: [{ question: "Which database?", header: "Database", multiSelect: false, options }] }
const asks: Step = [{ call: { tool: "ask", input } }]
const answered = (text: string): Step => [{ expect: { toolResult: text } }, { text: "I see." }]

async function asked(steps: readonly Step[], change: Parameters<typeof testHost>[2] = {}) {
  const world = await testHost(scriptedSource(steps), [askTool], change)
  const session = await newSession(world.host, { preset: "careful" })
  const request = next(session, "approval.requested")
  await prompt(session, "go")
  return { ...world, session, request: await request }
}

async function outcomes({ log }: Pick<TestHost, "log">, session: SessionActor) {
  const events = await history(log, session.id)
  return events.flatMap((event) => (event.type === "approval.decided" ? [event] : []))
}

describe("a question of the agent", () => {
  it("waits, and the first valid answer is the result of the call", async () => {
    const world = await asked([asks, answered("Question: Which database?\nAnswer: SQLite")])
    const { session, request } = world
    expect(request).toMatchObject({ reason: "Which database?", questions: [{ question: "Which database?" }] })
    const { approvalId } = request
    const reply = (answer?: string) => session.send({ type: "approve", approvalId, approved: true, answer }, you)
    expect(await reply()).toMatchObject({ refusal: { code: "answer.invalid" } })
    expect(await reply("7")).toMatchObject({ refusal: { message: expect.stringContaining("There is no option 7") } })
    const ended = next(session, "turn.ended")
    expect(await reply("2")).toMatchObject({ kind: "accepted" })
    expect(await reply("1")).toMatchObject({ refusal: { code: "approval.settled", by: you } })
    expect(await ended).toMatchObject({ reason: "done" })
    expect(await outcomes(world, session)).toMatchObject([{ outcome: "approved", by: you, answer: "SQLite" }])
  })

  it("may be answered in own words, and may be declined with a reason", async () => {
    const own = await asked([asks, answered("Answer: files will do (in the user's own words)")])
    const ended = next(own.session, "turn.ended")
    const { approvalId } = own.request
    await own.session.send({ type: "approve", approvalId, approved: true, answer: "files will do" }, you)
    expect(await ended).toMatchObject({ reason: "done" })
    const declined = await asked([asks, answered("you declined to answer: not now")])
    const end = next(declined.session, "turn.ended")
    const answer = {
      type: "approve",
      approvalId: declined.request.approvalId,
      approved: false,
      note: "not now",
    } as const
    await declined.session.send(answer, you)
    expect(await end).toMatchObject({ reason: "done" })
  })

  it("returns at once where no person is present, and when the time is over", async () => {
    const absent = await asked([asks, answered("No answer. No person is present")], { approvalWaitMs: 0 })
    expect(await outcomes(absent, absent.session)).toMatchObject([{ outcome: "expired" }])
    const late = await asked([asks, answered("No answer. The user did not answer in time")], { approvalWaitMs: 20 })
    expect(await next(late.session, "turn.ended")).toMatchObject({ reason: "done" })
  })

  it("survives the death of its host", async () => {
    const world = await asked([asks])
    const { log, session, request } = world
    await world.crash()
    const other = await testHost(scriptedSource([answered("Answer: PostgreSQL")]), [askTool], {}, log, 2)
    const again = await reopen(other.host, session.id)
    const ended = next(again, "turn.ended")
    const { approvalId } = request
    expect(await again.send({ type: "approve", approvalId, approved: true, answer: "postgresql" }, you)).toMatchObject({
      kind: "accepted",
    })
    expect(await ended).toMatchObject({ reason: "done" })
  })

  it("is void after an interrupt", async () => {
    const world = await asked([asks])
    const { session, request } = world
    await session.send({ type: "interrupt" }, you)
    expect(await outcomes(world, session)).toMatchObject([{ outcome: "void" }])
    const late = { type: "approve", approvalId: request.approvalId, approved: true, answer: "1" } as const
    expect(await session.send(late, you)).toMatchObject({ refusal: { code: "approval.settled", outcome: "void" } })
  })

  it("is answered by people who may drive or approve, never by a flag or with a permission", async () => {
    const { session, request } = await asked([asks, answered("SQLite")])
    const reply = { type: "approve", approvalId: request.approvalId, approved: true, answer: "2" } as const
    expect(await session.send(reply, { ...you, roles: ["watch"] })).toMatchObject({ refusal: { code: "role.missing" } })
    expect(await session.send({ ...reply, policy: ["--yes"] }, you)).toMatchObject({
      refusal: { code: "approval.person" },
    })
    const remember = { pattern: "*", scope: "session" } as const
    expect(await session.send({ ...reply, remember }, you)).toMatchObject({ refusal: { code: "answer.invalid" } })
    expect(await session.send(reply, { ...you, roles: ["drive"] })).toMatchObject({ kind: "accepted" })
  })

  it.each([
    ["one option", { questions: [{ question: "Which?", options: [{ label: "a" }] }] }],
    ["five questions", { questions: Array.from({ length: 5 }, () => ({ question: "Which?", options })) }],
    ["no question", { questions: [] }],
  ])("with %s is refused", async (_, bad) => {
    const world = await testHost(scriptedSource([[{ call: { tool: "ask", input: bad } }], [{ text: "Sorry." }]]), [
      askTool,
    ])
    const session = await newSession(world.host)
    const refused = next(session, "tool.refused")
    await prompt(session, "go")
    expect((await refused).reason).toContain("The input of ask does not fit")
  })

  it("is accepted under the name that other agents use, also in plan mode", async () => {
    const world = await testHost(scriptedSource([[{ call: { tool: "AskUserQuestion", input } }], answered("SQLite")]), [
      askTool,
    ])
    const session = await newSession(world.host)
    await session.send({ type: "enter-plan", focus: "storage" }, you)
    const request = next(session, "approval.requested")
    const ended = next(session, "turn.ended")
    await prompt(session, "go")
    await session.send({ type: "approve", approvalId: (await request).approvalId, approved: true, answer: "2" }, you)
    expect(await ended).toMatchObject({ reason: "done" })
  })
})
