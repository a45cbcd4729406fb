import { describe, expect, it } from "vitest"
import { parseJson } from "../../../contract/json-object.ts"
import type { Budget } from "../../../contract/values.ts"
import type { HostServices } from "../../../host/session-host.ts"
import type { Step } from "../../../models/offline/part.ts"
import { foldUsage, noUsage } from "../../../projection/usage.ts"
import type { SessionActor } from "../../../runner/session-actor.ts"
import { gate, scriptedSource } from "../../../testing/index.ts"
import { history, newSession, next, prompt, reopen, testHost, testTool, turn, you } from "../../../testing/test-host.ts"
import type { Elicitation, SamplingRequest, ToolContext } from "../../../tools/tool.ts"
import { MAX_PROMPT_LENGTH, MAX_REQUESTS } from "./server-requests.ts"

const question: Elicitation = {
  server: "shop",
  message: "Which\u001b[31m size\nfor you?",
  questions: [{ question: "Size?", options: [{ label: "S" }, { label: "L" }] }],
}
const sampling: SamplingRequest = {
  server: "shop",
  system: "Be short.",
  messages: [
    { role: "user", text: "Hello" },
    { role: "assistant", text: "Hi" },
    { role: "user", text: "Name a shirt" },
  ],
  maxTokens: 100,
}
const never = new AbortController().signal

type Work = (context: ToolContext) => Promise<unknown>

const elicit: Work = ({ elicit: ask, signal }) => ask?.(question, signal) ?? Promise.resolve("cannot ask")
const sample: Work = ({ sample: ask, signal }) => ask?.(sampling, signal) ?? Promise.resolve("cannot ask")

const call: Step = [{ call: { tool: "work", input: {} } }]
const done: Step = [{ text: "Done." }]

interface Setup {
  readonly script?: readonly Step[]
  readonly services?: Partial<HostServices>
  readonly costUsd?: number
  readonly budget?: Budget
}

/** A session whose call does the work; the output of the call is the answer as JSON. */
async function world(work: Work, { script = [call, done], services = {}, costUsd = 0, budget = {} }: Setup = {}) {
  const tool = testTool("work", async (_, context) => ({
    outcome: "done",
    output: JSON.stringify(await work(context)),
  }))
  const source = scriptedSource(script, { costUsd: () => costUsd })
  const made = await testHost(source, [tool], services)
  return { ...made, source, session: await newSession(made.host, { budget }) }
}

async function asked(session: SessionActor) {
  const request = next(session, "approval.requested")
  const ended = next(session, "tool.ended")
  await prompt(session, "work")
  return {
    request: await request,
    ended: ended.then(({ output, outcome }) => (outcome === "done" ? parseJson(output) : output)),
  }
}

describe("a question of an MCP server", () => {
  it("names the server, is bounded to a line, and says where the answer goes", async () => {
    const { session } = await world(elicit)
    const { request, ended } = await asked(session)
    expect(request).toMatchObject({
      tool: "elicitation",
      audience: "driver",
      reason: "MCP server 'shop' asks: Which\ufffd[31m size for you? (Your answer goes to the server.)",
      server: { name: "shop", wants: "answers" },
      questions: question.questions,
    })
    expect(session.state.turn?.step?.calls[0]?.phase).toBe("started")
    const { approvalId, digest } = request
    await session.send({ type: "approve", approvalId, digest, approved: true, answer: "L" }, you)
    expect(await ended).toEqual({ kind: "answered", answers: [{ options: ["L"] }] })
  })

  it("takes the first of two answers that come at once; the second client learns who answered", async () => {
    const { session } = await world(elicit)
    const { request, ended } = await asked(session)
    const { approvalId } = request
    const other = { principal: "other", door: "ipc" }
    const answers = await Promise.all([
      session.send({ type: "approve", approvalId, approved: true, answer: "1" }, you),
      session.send({ type: "approve", approvalId, approved: true, answer: "2" }, other),
    ])
    expect(answers).toMatchObject([{ kind: "accepted" }, { refusal: { code: "approval.settled", by: you } }])
    expect(await ended).toEqual({ kind: "answered", answers: [{ options: ["S"] }] })
  })

  it("that is declined says so to the server, with the reason of the person", async () => {
    const { session } = await world(elicit)
    const { request, ended } = await asked(session)
    await session.send({ type: "approve", approvalId: request.approvalId, approved: false, note: "not now" }, you)
    expect(await ended).toEqual({ kind: "declined", reason: "you denied it (not now)" })
  })

  it.each([
    [0, "no person can be asked"],
    [20, "the request was not answered in time"],
  ])("is cancelled after a wait of %i ms: %s", async (approvalWaitMs, reason) => {
    const { session } = await world(elicit, { services: { approvalWaitMs } })
    const { ended } = await asked(session)
    expect(await ended).toEqual({ kind: "cancelled", reason })
  })

  it("is cancelled where a client without a terminal refuses", async () => {
    const { session } = await world(elicit)
    const { request, ended } = await asked(session)
    const { approvalId } = request
    await session.send({ type: "approve", approvalId, approved: false, policy: ["unattended"] }, you)
    expect(await ended).toEqual({ kind: "cancelled", reason: "no person can be asked" })
  })

  it("is withdrawn when the server cancels it", async () => {
    const cancelling = new AbortController()
    const { session } = await world(async (context) => context.elicit?.(question, cancelling.signal))
    const decided = next(session, "approval.decided")
    const { ended } = await asked(session)
    cancelling.abort()
    expect(await decided).toMatchObject({ outcome: "void" })
    expect(await ended).toMatchObject({ kind: "cancelled", reason: expect.stringContaining("withdrawn") })
  })

  it("is withdrawn when its call ends, and cannot be asked after that", async () => {
    const contexts: ToolContext[] = []
    const { session } = await world(async (context) => {
      contexts.push(context)
      void context.elicit?.(question, never)
      await next(session, "approval.requested")
    })
    const decided = next(session, "approval.decided")
    await turn(session, "work")
    expect(await decided).toMatchObject({ outcome: "void" })
    expect(await contexts[0]?.elicit?.(question, never)).toEqual({ kind: "cancelled", reason: "its call has ended" })
  })

  it("is void after an interrupt, and for the next host", async () => {
    const stopped = await world(elicit)
    const { request } = await asked(stopped.session)
    await stopped.session.send({ type: "interrupt" }, you)
    const isVoid = { type: "approval.decided", outcome: "void" }
    expect(await history(stopped.log, stopped.session.id)).toContainEqual(
      expect.objectContaining({ ...isVoid, approvalId: request.approvalId }),
    )
    const first = await world(elicit)
    const requested = next(first.session, "approval.requested")
    await prompt(first.session, "work")
    const lost = await requested
    await first.crash()
    const second = await testHost(scriptedSource([done]), [], {}, first.log, 2)
    await reopen(second.host, first.session.id)
    expect(await history(first.log, first.session.id)).toContainEqual(
      expect.objectContaining({ ...isVoid, approvalId: lost.approvalId }),
    )
  })

  it("gives no secret to the server", async () => {
    const hidden = "‹redacted:TOKEN:0a1b›"
    const { session } = await world(elicit, {
      services: {
        scrubber: {
          text: (text) => text,
          json: (value) => JSON.parse(JSON.stringify(value).replaceAll("hunter2", hidden)),
          stream: () => ({ push: (piece) => piece, end: () => "" }),
        },
      },
    })
    const { request, ended } = await asked(session)
    const { approvalId } = request
    await session.send({ type: "approve", approvalId, approved: true, answer: "it is hunter2" }, you)
    expect(await ended).toMatchObject({ kind: "cancelled", reason: expect.stringContaining("secret") })
  })

  it("is for an approver where visitors talk to the session", async () => {
    const tool = testTool("work", async (_, context) => ({ outcome: "done", output: String(await elicit(context)) }))
    const { host } = await testHost(scriptedSource([call, done]), [tool])
    const session = await newSession(host, { preset: "service" })
    const request = next(session, "approval.requested", ({ server }) => server !== undefined)
    void session.watch((item) => {
      if (item.kind !== "event" || item.recorded.event.type !== "approval.requested") return
      const { approvalId, server } = item.recorded.event
      if (server === undefined) void session.send({ type: "approve", approvalId, approved: true }, you)
    })
    await prompt(session, "work")
    expect(await request).toMatchObject({ audience: "approver" })
  })

  it("waits for the answer to the question before it", async () => {
    const { session } = await world((context) => Promise.all([elicit(context), elicit(context)]))
    const { request: first, ended } = await asked(session)
    expect(session.state.approvals).toHaveLength(1)
    const second = next(session, "approval.requested")
    await session.send({ type: "approve", approvalId: first.approvalId, approved: true, answer: "1" }, you)
    const { approvalId, digest } = await second
    expect(digest).not.toBe(first.digest)
    await session.send({ type: "approve", approvalId, digest, approved: true, answer: "2" }, you)
    expect(await ended).toMatchObject([{ answers: [{ options: ["S"] }] }, { answers: [{ options: ["L"] }] }])
  })

  it("is refused beyond a number per call", async () => {
    const { session, log } = await world(
      async (context) => {
        const all = Array.from({ length: MAX_REQUESTS + 1 }, () => elicit(context))
        return (await Promise.all(all)).at(-1)
      },
      { services: { approvalWaitMs: 0 } },
    )
    await turn(session, "work")
    const events = await history(log, session.id)
    expect(events.filter(({ type }) => type === "approval.requested")).toHaveLength(MAX_REQUESTS)
    const output = expect.stringContaining(`a call may make ${MAX_REQUESTS} requests`)
    expect(events).toContainEqual(expect.objectContaining({ type: "tool.ended", output }))
  })
})

describe("a request of an MCP server for the model", () => {
  const script: readonly Step[] = [call, [{ text: "Blue Shirt" }], done]

  it("shows exactly what the model would get, and the model gets exactly that", async () => {
    const { session, source } = await world(sample, { script })
    const { request, ended } = await asked(session)
    const { server: name, ...shown } = sampling
    expect(request).toMatchObject({ tool: "sampling", server: { name, wants: "model", prompt: shown } })
    expect(request).not.toHaveProperty("causes")
    await session.send({ type: "approve", approvalId: request.approvalId, approved: true }, you)
    expect(await ended).toEqual({ kind: "answered", text: "Blue Shirt", model: "m" })
    expect(source.model.calls[1]?.prompt).toEqual([
      { role: "system", content: "Be short." },
      ...sampling.messages.map(({ role, text }) => ({ role, content: [{ type: "text", text }] })),
    ])
    expect(source.model.calls[1]?.maxOutputTokens).toBe(100)
  })

  it("is charged to the budget and counted as usage", async () => {
    const { session, log } = await world(sample, { script, costUsd: 0.25 })
    const sampled = next(session, "sampling.ended")
    const turnEnd = next(session, "turn.ended")
    const { request } = await asked(session)
    await session.send({ type: "approve", approvalId: request.approvalId, approved: true }, you)
    expect(await sampled).toMatchObject({ server: "shop", model: "m", costUsd: 0.25, usage: expect.anything() })
    await turnEnd
    expect(session.state.spent.usd).toBe(0.75)
    const events = await history(log, session.id)
    const usage = events.map((event, seq) => ({ seq, at: 0, event })).reduce(foldUsage, noUsage)
    expect(usage.total).toMatchObject({ usd: 0.75, modelCalls: 3 })
  })

  it("is refused when the budget has no room, and nothing is spent", async () => {
    const { session, log } = await world(sample, { costUsd: 1, budget: { usd: 1.5 } })
    const { request, ended } = await asked(session)
    await session.send({ type: "approve", approvalId: request.approvalId, approved: true }, you)
    expect(await ended).toMatchObject({ kind: "refused", reason: expect.stringContaining("the model did not answer") })
    expect((await history(log, session.id)).filter(({ type }) => type === "sampling.ended")).toEqual([])
  })

  it("costs nothing when it is denied", async () => {
    const { session, source } = await world(sample)
    const { request, ended } = await asked(session)
    await session.send({ type: "approve", approvalId: request.approvalId, approved: false }, you)
    expect(await ended).toEqual({ kind: "refused", reason: "you denied it" })
    expect(source.model.calls.length).toBeLessThan(3)
  })

  it("that is cancelled while the model answers is recorded with an unknown cost", async () => {
    const cancelling = new AbortController()
    const answering = gate()
    const { session } = await world(async ({ sample: ask }) => ask?.(sampling, cancelling.signal), {
      script: [call, [{ gate: answering }], done],
    })
    const sampled = next(session, "sampling.ended")
    const { request, ended } = await asked(session)
    await session.send({ type: "approve", approvalId: request.approvalId, approved: true }, you)
    await answering.arrived
    cancelling.abort()
    expect(await ended).toMatchObject({ kind: "refused", reason: expect.stringContaining("withdrawn") })
    expect(await sampled).toMatchObject({ model: "m", usage: undefined, costUsd: undefined })
  })

  it("with a prompt that is too long for a person to read is refused without asking", async () => {
    const long = { ...sampling, messages: [{ role: "user" as const, text: "x".repeat(MAX_PROMPT_LENGTH + 1) }] }
    const { session, log } = await world(async ({ sample: ask }) => ask?.(long, never))
    await turn(session, "work")
    const events = await history(log, session.id)
    expect(events.filter(({ type }) => type === "approval.requested")).toEqual([])
    const output = expect.stringContaining(`a prompt may have ${MAX_PROMPT_LENGTH} characters`)
    expect(events).toContainEqual(expect.objectContaining({ type: "tool.ended", output }))
  })
})
