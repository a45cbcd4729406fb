// MCP servers that try to get around approvals, and a host that is killed while a request for one is open, through the real
// program. The model is a script.
import { describe, expect, it } from "vitest"
import { misbehavingProgram } from "../../src/mcp/fixtures/servers.ts"
import type { JsonValue } from "../../src/contract/values.ts"
import { eventually } from "./eventually.ts"
import { eventsOf } from "./printed.ts"
import { newPlace, sharedPlace, type Place } from "./turnhouse.ts"

function odd(mode: string) {
  return { command: process.execPath, args: [misbehavingProgram, mode] }
}

function call(tool: string, input: JsonValue) {
  return { call: { tool, input } }
}

async function request(place: Place, tool: string): Promise<string> {
  return eventually(`the request for ${tool}`, async () => {
    const { stdout } = await place.run("approvals")
    return stdout.includes(tool) ? /apr_\w+/.exec(stdout)?.[0] : undefined
  })
}

describe("what a server says is untrusted text: an unsafe call after it needs a person, whatever is allowed", () => {
  const place = sharedPlace()

  it.each(["well", "error", "die-in-call"])("%s", async (mode) => {
    place.config({ tools: { allow: ["mcp__*", "bash"] }, mcpServers: { odd: odd(mode) } })
    const model = place.script([
      [call("mcp__odd__work", {})],
      [call("bash", { command: "touch made" })],
      [{ text: "Done." }],
    ])
    const { code, stderr } = await place.run("run", "go", "--yes", "--model", model)
    expect(code).toBe(3)
    expect(stderr).toContain("Untrusted text (MCP server odd)")
    expect(place.has("made")).toBe(false)
  })
})

it("reads a resource that was approved after a restart of the host", async (test) => {
  const place = newPlace(test)
  place.config({ mcpServers: { odd: odd("well") } })
  const model = place.script([[call("mcp_read", { server: "odd", uri: "memo://1" })], [{ text: "Read." }]])
  const running = place.start(["run", "go", "--wait", "100", "--model", model])
  await request(place, "mcp_read")
  running.signal("SIGKILL")
  await running.ended
  const again = place.start(["run", "--continue", "--wait", "100"])
  expect(await place.run("approve", await request(place, "mcp_read"))).toMatchObject({ code: 0 })
  expect(await again.ended).toMatchObject({ code: 0, stdout: "Read.\n" })
  const log = await place.log(await place.newest())
  expect(eventsOf(log, "tool.ended")).toMatchObject([{ outcome: "done", untrustedSource: "MCP server odd" }])
})
