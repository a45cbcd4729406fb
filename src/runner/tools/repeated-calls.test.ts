import { expect, it } from "vitest"
import type { SessionEvent } from "../../contract/events.ts"
import { history, newSession, testHost, testTool, turn } from "../../testing/test-host.ts"
import { scriptedSource } from "../../testing/index.ts"

const look = [{ call: { tool: "look", input: { at: "x" } } }]

/** What the model got for each of its calls. */
async function resultsOf(calls: number, output: (n: number) => string): Promise<string[]> {
  let runs = 0
  const tool = testTool("look", () => ({ outcome: "done", output: output(++runs) }), { class: "read" })
  const models = scriptedSource([...Array.from({ length: calls }, () => look), [{ text: "Done." }]])
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
