// A whole task against servers that speak the providers' formats: two files are changed, the tests run after an
// approval from another process, and the log and the costs are right.
import { mkdirSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { eventsOf } from "./e2e/printed.ts"
import { newPlace, type Place } from "./e2e/turnhouse.ts"
import type { ProviderScript } from "./provider-server/script.ts"
import { startProviderServer } from "./provider-server/server.ts"

const usage = { input: 1000, output: 100, cacheRead: 400 }

const work: ProviderScript = {
  keys: ["the-key"],
  replies: [
    { status: 503, error: { message: "overloaded" }, headers: { "retry-after": "0" } },
    {
      blocks: [
        { text: "I look at the code first." },
        { tool: "read", input: { path: "src/total.js" } },
        { tool: "read", input: { path: "test.js" } },
      ],
      usage,
    },
    {
      blocks: [
        { tool: "edit", input: { path: "src/total.js", old_string: "summe", new_string: "total" } },
        { tool: "edit", input: { path: "test.js", old_string: "summe", new_string: "total" } },
      ],
      usage,
    },
    { blocks: [{ tool: "bash", raw: '{"command": "node test' }], usage },
    { blocks: [{ tool: "bash", input: { command: "node test.js" } }], usage },
    { blocks: [{ text: "summe is called total now, and the test passes." }], usage },
  ],
}

function prepare(place: Place, type: "anthropic" | "openai", model: string, baseURL: string): void {
  mkdirSync(place.path("src"))
  place.write("src/total.js", "export const summe = (a, b) => a + b\n")
  place.write(
    "test.js",
    'import { summe as sum } from "./src/total.js"\nif (sum(1, 2) !== 3) process.exit(1)\nconsole.log("ok")\n',
  )
  place.write("package.json", '{"type":"module"}')
  place.config({
    model: `local/${model}`,
    providers: { local: { type, baseURL, apiKey: "the-key" } },
    tools: { allow: ["edit"], confirm: ["bash"] },
  })
}

describe.each([
  ["anthropic", "claude-sonnet-4-5"],
  ["openai", "gpt-4.1"],
] as const)("a refactoring over the %s format", (type, model) => {
  it("a refactoring completes with an approval from another process, a cost line and a valid log", async (test) => {
    const server = await startProviderServer(work)
    test.onTestFinished(() => server.close())
    const place = newPlace(test)
    prepare(place, type, model, `${server.url}/v1`)
    const running = place.start(["run", "rename summe to total and run the test", "--wait", "10m"])
    const approvalId = await running.until("a request for approval", () => /apr_\w+/.exec(running.stderr)?.[0])
    expect((await place.run("approve", approvalId)).code).toBe(0)
    const { code, stdout, stderr } = await running.ended
    expect(code).toBe(0)
    expect(stdout).toContain("summe is called total now, and the test passes.")
    expect(stderr).toMatch(/done in [\d.]+ s · \d tools · (?:<\$0\.01|\$0\.\d\d)(?: · context \d+ %)? · session /)
    expect(place.read("src/total.js")).toContain("total")
    expect(place.read("test.js")).toContain("total as sum")

    const log = await place.log(await place.newest())
    expect(eventsOf(log, "tool.ended").map(({ outcome }) => outcome)).toEqual(["done", "done", "done", "done", "done"])
    expect(eventsOf(log, "tool.refused")).toMatchObject([{ by: "input" }])
    expect(eventsOf(log, "approval.decided")).toMatchObject([{ outcome: "approved" }])
    const answers = eventsOf(log, "response.ended")
    expect(answers.map((answer) => answer.usage?.cacheRead)).toEqual([400, 400, 400, 400, 400])
    expect(answers.every(({ costUsd }) => (costUsd ?? 0) > 0)).toBe(true)
    expect(log).not.toContain("the-key")
  })
})
