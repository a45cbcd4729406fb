// The agent tools on real sessions of a host: a scripted parent, scripted children, everything between is real.
import { describe, expect, it } from "vitest"
import type { CallId } from "../../contract/ids.ts"
import type { JsonValue } from "../../contract/values.ts"
import { agentsOf } from "../../features/agent-tree/effects/agents.ts"
import type { SessionActor } from "../../runner/session-actor.ts"
import { toolsOfTurn } from "../../runner/tools/tool-set.ts"
import { history, newSession, next, prompt, reopen, testHost, testTool, turn, you } from "../../testing/test-host.ts"
import { gate, type Step } from "../../testing/index.ts"
import { ProcessSupervisor } from "../../processes/process-supervisor.ts"
import { askTool } from "../../tools/asking/ask.ts"
import { subagentTools } from "../../features/agent-tree/tools/subagents.ts"
import type { ToolResult } from "../../tools/tool.ts"
import { models, wide } from "./fixtures/tree-sessions.ts"

const deps = { processes: new ProcessSupervisor("agents-test") }
const tools = subagentTools(deps)

const ask = (task: string, more: Record<string, JsonValue> = {}): Step => [
  { call: { tool: "subagent", input: { task, model: "worker", ...more } } },
]

/** One call of a tool, as the runner makes it, without a model that asks for it. */
async function use(
  session: SessionActor,
  tool: string,
  input: JsonValue,
  callId: CallId,
  { signal } = new AbortController(),
): Promise<ToolResult> {
  const found = tools.find(({ name }) => name === tool)
  if (found === undefined) throw new Error(`no tool ${tool}`)
  const context = {
    sessionId: session.id,
    callId,
    idempotencyKey: callId,
    cwd: "/",
    env: {},
    signal,
    progress: () => {},
    agents: agentsOf(session, callId, signal),
  }
  return (await found.prepare(input, context)).run()
}

async function startAgent(session: SessionActor, callId: CallId = "cal_start"): Promise<string> {
  const started = await use(session, "subagent_start", { task: "work", agent: "tester", model: "worker" }, callId)
  return session.state.children.at(-1)?.id ?? started.output
}

function outputs(session: SessionActor, log: Parameters<typeof history>[0]) {
  return history(log, session.id).then((events) =>
    events.flatMap((event) => (event.type === "tool.ended" ? [event.output] : [])),
  )
}

describe("subagent", () => {
  it("waits for the agent and returns its last text without asking for approval", async () => {
    const source = models({ m: [ask("what is 2 + 2?"), [{ text: "It is 4." }]], worker: [[{ text: "4" }]] })
    const { host, log } = await testHost(source, tools)
    const parent = await newSession(host, { preset: "careful" })
    expect(await turn(parent, "go")).toMatchObject({ reason: "done" })
    expect(await outputs(parent, log)).toEqual(["4"])
    expect(parent.state.children).toEqual([])
    expect((await history(log, parent.id)).map(({ type }) => type)).not.toContain("approval.requested")
  })

  it("runs several agents of one step concurrently", async () => {
    const [first, second] = [gate(), gate()]
    const source = models({
      m: [
        [
          { call: { tool: "subagent", input: { task: "a", model: "one" } } },
          { call: { tool: "subagent", input: { task: "b", model: "two" } } },
        ],
        [{ text: "ok" }],
      ],
      one: [[{ gate: first }, { text: "A" }]],
      two: [[{ gate: second }, { text: "B" }]],
    })
    const { host, log } = await testHost(source, tools)
    const parent = await newSession(host)
    const ended = turn(parent, "both")
    await Promise.all([first.arrived, second.arrived])
    second.open()
    first.open()
    await ended
    expect((await outputs(parent, log)).toSorted()).toEqual(["A", "B"])
  })

  it("ends its agent when the turn is interrupted", async () => {
    const working = gate()
    const source = models({ m: [ask("work")], worker: [[{ gate: working }]] })
    const { host } = await testHost(source, tools)
    const parent = await newSession(host)
    await prompt(parent, "go")
    await working.arrived
    const ended = next(parent, "child.ended")
    await parent.send({ type: "interrupt" }, you)
    expect(await ended).toMatchObject({ outcome: "interrupted" })
  })

  it("ends its agent when its time is over", async () => {
    const source = models({ m: [ask("work", { timeout: 1 }), [{ text: "hm" }]], worker: [[{ hang: true }]] })
    const { host, log } = await testHost(source, tools)
    const parent = await newSession(host)
    const ended = next(parent, "child.ended")
    await turn(parent, "go")
    expect(await ended).toMatchObject({ outcome: "interrupted" })
    expect(await outputs(parent, log)).toEqual(["The agent had no answer after 1 s and was ended."])
  })

  it("finds its agent after a crash instead of creating a second one", async () => {
    const working = gate()
    const scripts = { m: [ask("work"), [{ text: "ok" }]], worker: [[{ gate: working }, { text: "done" } as const]] }
    const first = await testHost(models(scripts), tools)
    const parent = await newSession(first.host)
    await prompt(parent, "go")
    await working.arrived
    await first.crash()
    working.open()
    const second = await testHost(models(scripts), tools, {}, first.log)
    const reopened = await reopen(second.host, parent.id)
    expect(await next(reopened, "turn.ended")).toMatchObject({ reason: "done" })
    const events = await history(first.log, parent.id)
    expect(events.filter(({ type }) => type === "child.spawned")).toHaveLength(1)
    expect(await outputs(reopened, first.log)).toEqual(["done"])
  })

  it("says why no agent can be created", async () => {
    const source = models({ m: [ask("work"), [{ text: "ok" }]] })
    const { host, log } = await testHost(source, tools)
    const parent = await newSession(host, { limits: { stepsPerTurn: 20, depth: 2, children: 1 } })
    await parent.send({ type: "spawn", childId: "01890000-0000-7000-8000-0000000000aa" }, you)
    await turn(parent, "go")
    expect(await outputs(parent, log)).toEqual(["This agent already has 1 running children, which is the limit."])
  })

  it("passes an approval to the agent that requested it, and the parent continues", async () => {
    const rm = testTool("rm", () => ({ outcome: "done", output: "" }))
    const source = models({
      m: [ask("remove"), [{ text: "ok" }]],
      worker: [[{ call: { tool: "rm", input: {} } }], [{ text: "removed" }]],
    })
    const { host, log } = await testHost(source, [...tools, rm])
    const parent = await newSession(host, { preset: "careful" })
    const request = next(parent, "child.asked")
    const ended = turn(parent, "go")
    const { sessionId, approvalId } = await request
    const agent = await reopen(host, sessionId)
    await agent.send({ type: "approve", approvalId, approved: true }, you)
    await ended
    expect(await outputs(parent, log)).toEqual(["removed"])
  })

  it("shows at the root where the command of an agent wants to connect, and passes the answer on", async () => {
    const connection = { host: "example.com", port: 443 }
    const get = testTool("get", async (_input, { connect, signal }) => {
      const answer = await connect?.(connection, signal)
      return { outcome: "done", output: answer?.kind ?? "cannot ask" }
    })
    const source = models({
      m: [ask("get it"), [{ text: "ok" }]],
      worker: [[{ call: { tool: "get", input: {} } }], [{ expect: { toolResult: "allowed" } }, { text: "got it" }]],
    })
    const { host, log } = await testHost(source, [...tools, get])
    const root = await newSession(host)
    const request = next(root, "child.asked")
    const ended = turn(root, "go")
    const { sessionId, approvalId, tool, input } = await request
    expect({ tool, input }).toEqual({ tool: "network", input: connection })
    const agent = await reopen(host, sessionId)
    await agent.send({ type: "approve", approvalId, approved: true }, you)
    await ended
    expect(await outputs(root, log)).toEqual(["got it"])
  })

  it("shows at the root what an MCP server asks an agent, and passes the answer on", async () => {
    const questions = [{ question: "Size?", options: [{ label: "S" }, { label: "L" }] }]
    const order = testTool("order", async (_input, { elicit, signal }) => {
      const answer = await elicit?.({ server: "shop", message: "Which size?", questions }, signal)
      return { outcome: "done", output: JSON.stringify(answer) }
    })
    const source = models({
      m: [ask("order it"), [{ text: "ok" }]],
      worker: [[{ call: { tool: "order", input: {} } }], [{ expect: { toolResult: '["L"]' } }, { text: "ordered" }]],
    })
    const { host, log } = await testHost(source, [...tools, order])
    const root = await newSession(host)
    const [request, reported] = [next(root, "child.asked"), next(root, "child.answered")]
    const ended = turn(root, "go")
    const { sessionId, approvalId, ...shown } = await request
    expect(shown).toMatchObject({ tool: "elicitation", questions, server: { name: "shop", wants: "answers" } })
    const agent = await reopen(host, sessionId)
    await agent.send({ type: "approve", approvalId, approved: true, answer: "2" }, you)
    expect(await reported).toMatchObject({ outcome: "approved", answer: "L" })
    await ended
    expect(await outputs(root, log)).toEqual(["ordered"])
  })

  it("shows a question of an agent with its choices at the root, and its answer", async () => {
    const options = [{ label: "PostgreSQL" }, { label: "SQLite" }]
    const input = { questions: [{ question: "Which database?", options }] }
    const source = models({
      m: [ask("choose"), [{ text: "ok" }]],
      worker: [[{ call: { tool: "ask", input } }], [{ expect: { toolResult: "Answer: SQLite" } }, { text: "chosen" }]],
    })
    const { host, log } = await testHost(source, [...tools, askTool])
    const root = await newSession(host, { preset: "careful" })
    const [request, reported] = [next(root, "child.asked"), next(root, "child.answered")]
    const ended = turn(root, "go")
    const { sessionId, approvalId, questions } = await request
    expect(questions).toEqual(input.questions)
    const agent = await reopen(host, sessionId)
    await agent.send({ type: "approve", approvalId, approved: true, answer: "2" }, you)
    expect(await reported).toMatchObject({ outcome: "approved", answer: "SQLite", by: you })
    await ended
    expect(await outputs(root, log)).toEqual(["chosen"])
  })
})

describe("agents that were started", () => {
  it("can be listed, steered and collected, also twice", async () => {
    const working = gate()
    const source = models({ worker: [[{ gate: working }, { text: "first" }], [{ text: "as you wish" }]] })
    const { host } = await testHost(source, tools)
    const parent = await newSession(host, wide)
    const id = await startAgent(parent)
    await working.arrived
    const status = await use(parent, "subagent_status", {}, "cal_1")
    expect(status.output).toBe(`${id} (tester): working, thinking, $0.0000`)
    expect((await use(parent, "subagent_steer", { id, message: "shorter" }, "cal_2")).outcome).toBe("done")
    const collected = use(parent, "subagent_collect", { id }, "cal_3")
    working.open()
    expect(await collected).toMatchObject({ outcome: "done", output: "as you wish" })
    expect(await use(parent, "subagent_collect", { id }, "cal_4")).toMatchObject({ output: "as you wish" })
    expect((await use(parent, "subagent_status", { id }, "cal_5")).output).toBe(`${id}: ended, done, $0.0000`)
    expect((await use(parent, "subagent_steer", { id, message: "more" }, "cal_6")).outcome).toBe("failed")
  })

  it("can be collected after a crash from the parent's log", async () => {
    const first = await testHost(models({ worker: [[{ text: "an answer" }]] }), tools)
    const parent = await newSession(first.host, wide)
    const ended = next(parent, "child.ended")
    const id = await startAgent(parent)
    await ended
    await first.crash()
    const second = await testHost(models({}), tools, {}, first.log)
    const reopened = await reopen(second.host, parent.id)
    expect(await use(reopened, "subagent_collect", { id }, "cal_9")).toMatchObject({ output: "an answer" })
  })

  it("are the same when their call is run again", async () => {
    const { host } = await testHost(models({ worker: [[{ hang: true }]] }), tools)
    const parent = await newSession(host, wide)
    const [one, two] = [await startAgent(parent, "cal_7"), await startAgent(parent, "cal_7")]
    expect(one).toBe(two)
    expect(parent.state.children).toHaveLength(1)
    expect(await startAgent(parent, "cal_8")).not.toBe(one)
    await host.close()
  })

  it("report that they still work when the wait ends; unknown ones are named", async () => {
    const { host } = await testHost(models({ worker: [[{ hang: true }]] }), tools)
    const parent = await newSession(host, wide)
    const id = await startAgent(parent)
    expect((await use(parent, "subagent_collect", { id, timeout: 1 }, "cal_1")).output).toBe(`Agent ${id} still works.`)
    expect((await use(parent, "subagent_collect", { id: "x" }, "cal_2")).output).toBe("This session has no agent x.")
    await host.close()
  })

  it("continue after an interrupted wait", async () => {
    const { host } = await testHost(models({ worker: [[{ hang: true }]] }), tools)
    const parent = await newSession(host, wide)
    const id = await startAgent(parent)
    const stopper = new AbortController()
    const collected = use(parent, "subagent_collect", { id }, "cal_1", stopper)
    stopper.abort()
    expect(await collected).toMatchObject({ outcome: "failed", output: "The call was cancelled." })
    expect(parent.state.children).toMatchObject([{ id, ending: undefined }])
    await host.close()
  })

  it("are ended when their time is over", async () => {
    const { host } = await testHost(models({ worker: [[{ hang: true }]] }), tools)
    const parent = await newSession(host, wide)
    const ended = next(parent, "child.ended")
    await use(parent, "subagent_start", { task: "work", model: "worker", timeout: 1 }, "cal_1")
    expect(await ended).toMatchObject({ outcome: "interrupted" })
    await host.close()
  })

  it("that were detached are reported as detached", async () => {
    const { host } = await testHost(models({ worker: [[{ hang: true }]] }), tools)
    const parent = await newSession(host, wide)
    const id = await startAgent(parent)
    const collected = use(parent, "subagent_collect", { id }, "cal_1")
    await parent.send({ type: "signal-children", action: "detach" }, you)
    expect((await collected).output).toContain("independent session")
    await host.close()
  })
})

describe("agents", () => {
  it("are not offered at the depth limit, in service sessions or in plan mode", async () => {
    const { host } = await testHost(models({}), tools)
    const offered = async (change: Parameters<typeof newSession>[1]) => {
      const session = await newSession(host, change)
      return toolsOfTurn(session.state, tools).length
    }
    expect(await offered(wide)).toBe(5)
    expect(await offered({ ...wide, preset: "service" })).toBe(0)
    expect(await offered({ limits: { stepsPerTurn: 5, depth: 0, children: 8 } })).toBe(0)
    expect(await offered({ ...wide, toolMode: "Core" })).toBe(0)
    const planning = await newSession(host, wide)
    await planning.send({ type: "enter-plan" }, you)
    const ended = next(planning, "turn.ended")
    await prompt(planning, "plan")
    expect(toolsOfTurn(planning.state, tools)).toEqual([])
    await ended
  })
})
