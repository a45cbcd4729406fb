// Budgets of a turn in trips to the log writer and reads of the log. They are counts, so they hold at any load; one more is
// a deliberate decision.
import { expect, it } from "vitest"
import type { EventLog } from "../log/event-log.ts"
import { openMemoryLog } from "../log/sqlite/sqlite-log.ts"
import { scriptedSource, type Step } from "../testing/index.ts"
import { newSession, testHost, testTool, turn } from "../testing/test-host.ts"

const look: Step = [{ call: { tool: "look", input: {} } }]

/** The log, and the names of its methods in the order in which they are called. */
function counted(log: EventLog) {
  const calls: string[] = []
  const noting: ProxyHandler<EventLog> = {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target)
      if (typeof member !== "function") return member
      return (...args: unknown[]) => {
        if (name !== "checkpoint") calls.push(String(name)) // four times a second, however long the turn takes
        return Reflect.apply(member, target, args)
      }
    },
  }
  return { log: new Proxy(log, noting), calls }
}

/** Calls of the log during the second turn of a session. */
async function callsOfTurn(...steps: readonly Step[]): Promise<readonly string[]> {
  const { log, calls } = counted(openMemoryLog())
  const tool = testTool("look", () => ({ outcome: "done", output: "" }), { class: "read" })
  const { host } = await testHost(scriptedSource([[{ text: "First." }], ...steps]), [tool], {}, log)
  const session = await newSession(host)
  await turn(session, "first")
  calls.length = 0
  await turn(session, "second")
  const made = [...calls]
  await host.close()
  return made
}

it("stores a turn without calls in two appends, and reads nothing", async () => {
  expect(await callsOfTurn([{ text: "Second." }])).toEqual(["append", "append"])
})

it("stores a call in three appends: answer, intent, and result with the next step", async () => {
  const none = await callsOfTurn([{ text: "Second." }])
  const one = await callsOfTurn(look, [{ text: "Second." }])
  const three = await callsOfTurn(look, look, look, [{ text: "Second." }])
  expect(new Set(three)).toEqual(new Set(["append"]))
  expect([one.length - none.length, three.length - none.length]).toEqual([3, 9])
})
