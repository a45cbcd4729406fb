// What `run` without a terminal does when an MCP server asks during a call. The server is a tool of the test in a real
// host; `run` is the real program, in a process of its own.
import { expect, it, vi } from "vitest"
import { openLocalDoors } from "../src/app/host/local-doors.ts"
import { loadFolderConfig } from "../src/app/settings/folder-config.ts"
import { skillTool } from "../src/tools/skill.ts"
import type { ToolContext } from "../src/tools/tool.ts"
import { World } from "./settings/world.ts"

/** The tool `skill` makes the request instead, and its output is the answer. */
function asking(request: (context: ToolContext) => Promise<unknown> | undefined): void {
  vi.spyOn(skillTool, "prepare").mockImplementation(async (_, context) => ({
    run: async () => ({ outcome: "done", output: JSON.stringify(await request(context)) }),
    abandon: () => {},
  }))
}

async function ran(test: ConstructorParameters<typeof World>[0], answer: string) {
  const world = new World(test)
  const call = { call: { tool: "skill", input: { name: "x" } } }
  const model = world.script([call], [{ expect: { toolResult: answer } }, { text: "I was told." }])
  const running = await world.start({ model, tools: { allow: ["skill"] } })
  const { home, cwd } = world
  const doors = await openLocalDoors({ home, cwd, ...(await loadFolderConfig({ home, cwd })) }, running)
  test.onTestFinished(() => doors.close())
  const { sessionId } = await world.created(running)
  return world.program("run", "--session", sessionId, "--yes", "--allow-tool", "*", "go")
}

it("refuses a question of a server at once, and says which server asked", async (test) => {
  const questions = [{ question: "Your size?", options: [] }]
  asking((context) => context.elicit?.({ server: "shop", message: "For the order", questions }, context.signal))
  const { code, stdout, stderr } = await ran(test, "no person can be asked")
  expect(stderr).toMatch(/^turnhouse: MCP server 'shop' asks: .+ There is no terminal to answer at\. To wait/m)
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("I was told.") })
})

it("refuses a request for the model at once, whatever flags are given", async (test) => {
  const messages = [{ role: "user", text: "Name a shirt" }] as const
  asking((context) => context.sample?.({ server: "shop", messages, maxTokens: 50 }, context.signal))
  const { stdout, stderr } = await ran(test, "no person can be asked")
  expect(stderr).toContain("sampling was refused: approval is required, and there is no terminal. MCP server 'shop'")
  expect(stderr).toContain("Only a user can approve it")
  expect(stdout).toContain("I was told.")
})
