import { describe, expect, it } from "vitest"
import { limits } from "../../contract/limits.ts"
import { scriptedSource, type Step } from "../../testing/index.ts"
import { history, newSession, testHost, testTool, turn } from "../../testing/test-host.ts"
import type { ToolResult } from "../../tools/tool.ts"

/** A tool that reads, and the highest number of its calls that ran at the same time. */
function readingTool() {
  const seen = { calls: 0, running: 0, most: 0 }
  const run = async (): Promise<ToolResult> => {
    seen.calls += 1
    seen.running += 1
    seen.most = Math.max(seen.most, seen.running)
    await new Promise((resolve) => setImmediate(resolve))
    seen.running -= 1
    return { outcome: "done", output: "read" }
  }
  return { seen, tool: testTool("look", run, { class: "read" }) }
}

async function played(...steps: readonly Step[]) {
  const { seen, tool } = readingTool()
  const models = scriptedSource([...steps, [{ text: "Done." }]])
  const { host, log } = await testHost(models, [tool])
  const session = await newSession(host)
  const ended = await turn(session, "go")
  return { seen, ended, models, session, events: await history(log, session.id) }
}

const look = (at: number, id?: string) => ({ call: { tool: "look", input: { at }, id } })

describe("an answer with thousands of calls", () => {
  const calls = Array.from({ length: 3000 }, (_, n) => look(n))

  it("runs as many as allowed, a few at a time, and refuses the rest with one message", async () => {
    const { seen, ended, events } = await played(calls)
    expect(ended.reason).toBe("done")
    expect(seen.calls).toBe(limits.callsPerAnswer)
    expect(seen.most).toBe(limits.parallelCalls)
    const refused = events.filter((event) => event.type === "tool.refused")
    expect(refused.map(({ reason }) => reason)).toEqual([
      "Your answer has 3000 calls; at most 128 run. This call and those after it did not run. Send those that are still needed in your next answers.",
    ])
    expect(events.filter((event) => event.type === "tool.called")).toHaveLength(limits.callsPerAnswer + 1)
  })
})

describe("a call with the id of another one", () => {
  it("runs as a call of its own", async () => {
    const { seen, events } = await played([look(1, "same"), look(2, "same"), look(3, "other")])
    expect(seen.calls).toBe(3)
    const inputs = events.flatMap((event) => (event.type === "tool.called" ? [event.input] : []))
    expect(inputs).toEqual([{ at: 1 }, { at: 2 }, { at: 3 }])
    expect(new Set(events.flatMap((event) => (event.type === "tool.called" ? [event.callId] : []))).size).toBe(3)
  })
})

describe("a name of a tool that is a megabyte long", () => {
  it("is cut, and the next request has a name that providers accept", async () => {
    const { models, events } = await played([{ call: { tool: "wörter ".repeat(150_000), input: ["list"] } }])
    const called = events.find((event) => event.type === "tool.called")
    expect(called?.tool).toHaveLength(200)
    const prompt = models.model.calls.at(-1)?.prompt ?? []
    const sent = prompt.flatMap(({ role, content }) => (role === "assistant" ? content : []))
    expect(sent).toMatchObject([{ type: "tool-call", input: { unparsed: ["list"] } }])
    expect(JSON.stringify(sent)).toMatch(/"toolName":"w_rter_[\w-]{57}"/)
  })
})

describe("an answer without end", () => {
  it("is cut off, the turn says so, and the session continues", async () => {
    const { tool } = readingTool()
    const chunks = Array.from({ length: 26 }, () => "x".repeat(1024 * 1024))
    const models = scriptedSource([[{ chunks }], [{ text: "Fine." }]], { maxOutput: 10_000_000 })
    const { host, log } = await testHost(models, [tool])
    const session = await newSession(host)
    expect(await turn(session, "go")).toMatchObject({ reason: "done", finish: "length" })
    const texts = (await history(log, session.id)).flatMap((event) => (event.type === "text.ended" ? [event.text] : []))
    expect(texts.map(({ length }) => length)).toEqual([limits.answerTextLength])
    expect(await turn(session, "go on")).toMatchObject({ reason: "done" })
  })
})
