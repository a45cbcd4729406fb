// One budget for a whole tree: across restarts, between a child and its parent, and when it is raised.
import { describe, expect, it } from "vitest"
import type { EventLog } from "../../log/event-log.ts"
import type { ModelSource } from "../../models/model-source.ts"
import { emptyTranscript, foldTranscript } from "../../projection/transcript.ts"
import { history, newSession, next, prompt, reopen, testHost, turn, you } from "../../testing/test-host.ts"
import { gate, scriptedSource, type Part, type Step } from "../../testing/index.ts"
import { ProcessSupervisor } from "../../processes/process-supervisor.ts"
import { subagentTool } from "../../features/agent-tree/tools/subagents.ts"

const options = { timeout: 60_000 }
const childId = "01890000-0000-7000-8000-0000000000aa"

/** Every model call costs 4 and needs no more; a script for each model name. */
function models(scripts: Record<string, readonly Step[]>): ModelSource {
  const sources = Object.entries(scripts).map(([name, script]) => {
    return [name, scriptedSource(script, { costUsd: () => 4 })] as const
  })
  const byName = new Map(sources)
  return { resolve: async (name) => (byName.get(name) ?? scriptedSource([])).resolve(name) }
}

/** A child is made in the background of its parent. */
async function made(log: EventLog, sessionId: string): Promise<void> {
  while ((await log.find(sessionId)).kind === "refused") await new Promise((resolve) => setImmediate(resolve))
}

async function transcriptOf(log: EventLog, sessionId: string) {
  const events = await history(log, sessionId)
  return events.map((event, index) => ({ seq: index + 1, at: 0, event })).reduce(foldTranscript, emptyTranscript())
}

const delegate: readonly Part[] = [{ call: { tool: "subagent", input: { task: "work", model: "worker" } } }]

describe("the budget of a tree", options, () => {
  it("includes the cost of waiting sessions after a restart", async () => {
    const scripts = { m: [[{ text: "one" }], [{ text: "two" }]], worker: [[{ text: "three" }]] } as const
    const first = await testHost(models(scripts))
    const root = await newSession(first.host, { budget: { usd: 10 } })
    await turn(root, "spend 4")
    await turn(root, "spend 8")
    await root.send({ type: "spawn", childId, model: "worker" }, you)
    await made(first.log, childId)
    await first.crash()
    const second = await testHost(models(scripts), [], {}, first.log)
    await reopen(second.host, root.id)
    const child = await reopen(second.host, childId)
    const parked = next(child, "turn.parked")
    await prompt(child, "spend 12")
    expect(await parked).toMatchObject({ why: "budget" })
    await second.host.close()
  })

  it("resumes a child that was parked because of a sibling's reservation when that is released", async () => {
    const started = gate()
    const worker = scriptedSource([[{ gate: started }, { text: "done" }]], { costUsd: ({ output }) => output / 1000 })
    const main = scriptedSource([[...delegate, ...delegate], [{ text: "thanks" }]], { costUsd: () => 0 })
    const source: ModelSource = { resolve: (name) => (name === "worker" ? worker : main).resolve(name) }
    const { host } = await testHost(source, [subagentTool({ processes: new ProcessSupervisor("reservation-test") })])
    const root = await newSession(host, { budget: { usd: 5 } }) // one reservation takes 4.096
    const parked = next(root, "child.reported", ({ status }) => status.startsWith("parked"))
    const ended = turn(root, "go")
    expect(await parked).toMatchObject({
      status: expect.stringMatching(/0\.0000 spent, 4\.0960 reserved by other model calls, up to 4\.0960 needed/),
    })
    started.open()
    expect(await ended).toMatchObject({ reason: "done" })
    const { items } = await transcriptOf(host.log, root.id)
    const outputs = items.flatMap((item) => (item.kind === "call" ? [item.output] : []))
    expect(outputs).toEqual([expect.stringContaining("done"), expect.stringContaining("done")])
    await host.close()
  })

  it("lets a child continue when it is raised at the waiting root", async () => {
    const source = models({ m: [delegate, [{ text: "thanks" }]], worker: [[{ text: "done" }]] })
    const { host } = await testHost(source, [subagentTool({ processes: new ProcessSupervisor("budget-test") })])
    const root = await newSession(host, { budget: { usd: 7 } })
    const parked = next(root, "child.reported")
    const ended = turn(root, "go")
    expect(await parked).toMatchObject({ status: expect.stringContaining("7 USD") })
    await root.send({ type: "raise-budget", budget: { usd: 20 } }, you)
    expect(await ended).toMatchObject({ reason: "done" })
    expect(root.state.spent.usd).toBe(12)
    await host.close()
  })
})
