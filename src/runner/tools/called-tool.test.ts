import { expect, it } from "vitest"
import { history, newSession, testHost, testTool, turn } from "../../testing/test-host.ts"
import { scriptedSource } from "../../testing/index.ts"

const echo = (name: string) =>
  testTool(name, (input) => ({ outcome: "done", output: `${name} ${JSON.stringify(input)}` }))

async function resultOf(tool: string, names: readonly string[]): Promise<string> {
  const script = [[{ call: { tool, input: {} } }], [{ text: "Done." }]]
  const { host, log } = await testHost(scriptedSource(script), names.map(echo))
  const session = await newSession(host)
  await turn(session, "go")
  const events = await history(log, session.id)
  return (
    events.flatMap((event) => {
      if (event.type === "tool.ended") return [event.output]
      return event.type === "tool.refused" ? [event.reason] : []
    })[0] ?? ""
  )
}

it.each([
  ["bash", "bash"],
  ["Bash", "bash"],
  ["BASH", "bash"],
  ["execute_command", "bash"],
  ["EXECUTE_COMMAND", "bash"],
  ["TodoWrite", "todo"],
  ["Lookup_Order", "lookup_order"],
])("runs a call of %s with the tool %s", async (called, tool) => {
  expect(await resultOf(called, ["bash", "read", "todo", "lookup_order"])).toBe(`${tool} {}`)
})

it("prefers a tool with exactly the name to one with the alias", async () => {
  expect(await resultOf("Bash", ["bash", "Bash"])).toBe("Bash {}")
})

it("does not choose between tools that differ in case only", async () => {
  expect(await resultOf("DEPLOY", ["deploy", "Deploy"])).toContain("There is no tool named DEPLOY.")
})

it("names the nearest tool and lists the others for an unknown name", async () => {
  expect(await resultOf("lookup_ordre", ["bash", "lookup_order"])).toBe(
    "There is no tool named lookup_ordre. Did you mean lookup_order? There are: bash, lookup_order.",
  )
  expect(await resultOf("teleport", ["bash"])).toBe("There is no tool named teleport. There are: bash.")
})

it("bounds the list and the name", async () => {
  const names = Array.from({ length: 80 }, (_, index) => `tool_${index}`)
  const reason = await resultOf("x".repeat(100_000), names)
  expect(reason).toContain("tool_59, and 20 more.")
  expect(reason.length).toBeLessThan(1200)
})
