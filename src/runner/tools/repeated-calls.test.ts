import { describe, expect, it } from "vitest"
import type { SessionEvent } from "../../contract/events.ts"
import type { JsonValue } from "../../contract/values.ts"
import { history, newSession, testHost, testTool, turn } from "../../testing/test-host.ts"
import { scriptedSource, type Step } from "../../testing/index.ts"

const sameInput: (n: number) => JsonValue = () => ({ at: "x" })

/** What the model got for each of its calls. */
async function resultsOf(calls: number, output: (n: number) => string, input = sameInput): Promise<string[]> {
  let runs = 0
  const tool = testTool("look", () => ({ outcome: "done", output: output(++runs) }), { class: "read" })
  const steps = Array.from({ length: calls }, (_, n) => [{ call: { tool: "look", input: input(n) } }])
  const models = scriptedSource([...steps, [{ text: "Done." }]])
  const { host, log } = await testHost(models, [tool])
  const session = await newSession(host)
  await turn(session, "go")
  return (await history(log, session.id)).flatMap(resultOf)
}

function resultOf(event: SessionEvent): string[] {
  if (event.type === "tool.refused") return [event.reason]
  return event.type === "tool.ended" ? [event.output] : []
}

it("a call that repeats with the same result gets a note, then is refused", async () => {
  const results = await resultsOf(8, () => "nothing")
  expect(results.slice(0, 2)).toEqual(["nothing", "nothing"])
  expect(results[2]).toBe("nothing\n[The same call gave the same result 3 times. After 6 it is refused.]")
  expect(results[5]).toContain("6 times")
  expect(results[6]).toContain("it was not run again")
  expect(results[7]).toContain("it was not run again")
})

it("a call whose result changes may be repeated", async () => {
  const results = await resultsOf(8, (n) => `line ${n}`)
  expect(results).toEqual(Array.from({ length: 8 }, (_, n) => `line ${n + 1}`))
})

it("calls that repeat in turn with the same results get a note, then are refused", async () => {
  const results = await resultsOf(
    14,
    () => "nothing",
    (n) => ({ at: n % 2 === 0 ? "x" : "y" }),
  )
  expect(results[4]).toBe("nothing")
  expect(results[5]).toBe("nothing\n[The same 2 calls gave the same results 3 times. After 6 they are refused.]")
  expect(results[11]).toContain("6 times")
  expect(results[12]).toContain(
    "The same 2 calls were made 6 times in turn with the same results; it was not run again",
  )
  expect(results[13]).toContain("it was not run again")
})

it("a call that is repeated between different ones may go on", async () => {
  const results = await resultsOf(
    14,
    () => "nothing",
    (n) => ({ at: n % 2 === 0 ? "x" : `y${n}` }),
  )
  expect(results).toEqual(Array.from({ length: 14 }, () => "nothing"))
})

describe("a model that does not stop", () => {
  const call = (tool: string, input: JsonValue): Step => [{ call: { tool, input } }]
  const endless = (step: (n: number) => Step) => Array.from({ length: 60 }, (_, n) => step(n))
  const tool = testTool("look", () => ({ outcome: "done", output: "nothing" }), { class: "read" })

  async function endOf(steps: readonly Step[]) {
    const models = scriptedSource(steps)
    const { host, log } = await testHost(models, [tool])
    const session = await newSession(host, { limits: { stepsPerTurn: 200, depth: 0, children: 0 } })
    const ended = await turn(session, "go")
    const results = (await history(log, session.id)).flatMap(resultOf)
    return { session, ended, results }
  }

  it.each([
    ["the same call", (): Step => call("look", { at: "x" }), 12],
    ["two calls in turn", (n: number) => call("look", { at: n % 2 }), 18],
    ["tools that do not exist", (n: number) => call(`tool${n}`, {}), 6],
    ["arguments that are not JSON", (): Step => [{ call: { tool: "look", inputText: '{"at":' } }], 6],
  ])("%s: the turn fails after a bounded number of answers", async (_, step, count) => {
    const { ended, results } = await endOf(endless(step))
    expect(ended.reason).toBe("failed")
    expect(ended.error).toContain("all calls in its last 6 answers were refused")
    expect(results).toHaveLength(count)
  })

  it("a call that no person can approve is refused as a repetition in the end", async () => {
    const write = testTool("write", () => ({ outcome: "done", output: "" }))
    const { host, log } = await testHost(scriptedSource(endless(() => call("write", {}))), [write], {
      approvalWaitMs: 0,
    })
    const session = await newSession(host, { preset: "careful", limits: { stepsPerTurn: 200, depth: 0, children: 0 } })
    expect(await turn(session, "go")).toMatchObject({ reason: "failed" })
    const refusals = (await history(log, session.id)).flatMap((event) =>
      event.type === "tool.refused" ? [event.by] : [],
    )
    expect(refusals).toEqual([
      ...Array.from({ length: 6 }, () => "approvals"),
      ...Array.from({ length: 6 }, () => "tools"),
    ])
  })

  it("the session continues with the next prompt", async () => {
    const unknown = Array.from({ length: 6 }, (_, n) => call(`tool${n}`, {}))
    const { session, ended } = await endOf([...unknown, call("tool7", {}), [{ text: "Better." }]])
    expect(ended.reason).toBe("failed")
    expect(await turn(session, "go on")).toMatchObject({ reason: "done" })
  })

  it("an answer with a call that runs starts the count again", async () => {
    const some = (from: number) => Array.from({ length: 5 }, (_, n) => call(`tool${from + n}`, {}))
    const { ended } = await endOf([...some(0), call("look", { at: "x" }), ...some(5), [{ text: "Done." }]])
    expect(ended).toMatchObject({ reason: "done" })
  })
})
