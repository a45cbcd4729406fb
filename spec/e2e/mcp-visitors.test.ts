// MCP servers in sessions of the WebSocket API, through the real program and a provider on loopback.
import { existsSync } from "node:fs"
import { expect, it } from "vitest"
import { misbehavingProgram } from "../../src/mcp/fixtures/servers.ts"
import { WsClient } from "../../src/testing/doors/served-ws.ts"
import { claudePlace, put } from "./claude-place.ts"
import { eventually } from "./eventually.ts"

it("gives visitors the tools of servers that their agent names, and starts no others", async (test) => {
  const { place, server } = await claudePlace(test, [
    { blocks: [{ tool: "mcp__odd__work", input: { value: "tea" } }] },
    { blocks: [{ text: "Sold." }] },
    { blocks: [{ text: "Hello." }] },
  ])
  const odd = (log: string) => ({ command: process.execPath, args: [misbehavingProgram, "well", place.path(log)] })
  place.config({
    model: "claude/claude-sonnet-5",
    providers: { claude: { type: "anthropic", baseURL: `${server.url}/v1`, apiKey: "key-of-the-test-1234" } },
    tools: { allow: ["mcp__odd"] },
    mcpServers: { odd: odd("odd.log"), other: odd("other.log") },
    agents: {
      shop: { instructions: "Sell.", tools: ["mcp__odd__*", "mcp__ofFolder__*"] },
      plain: { instructions: "Talk.", tools: [] },
    },
  })
  put(place.folder, { ".mcp.json": { mcpServers: { ofFolder: odd("folder.log") } } })
  await place.run("trust", ".")
  const running = place.start(["serve", "--port", "0"])
  const address = await running.until("an address", () => /^listening on http(\S+)$/m.exec(running.stdout)?.[1])
  const client = await WsClient.open(`ws${address}/ws`)
  for (const agentId of ["shop", "plain"]) {
    const { sessionId } = await client.create({ agentId })
    client.say({ action: "send_message", requestId: agentId, sessionId, message: "hi" })
    await eventually(`the answer of ${agentId}`, () =>
      client.of(agentId).some(({ type }) => type === "eventual_response") ? true : undefined,
    )
  }
  const offered = server.requests.map(({ body }) => JSON.stringify(body["tools"] ?? []))
  expect(offered.map((tools) => tools.includes("mcp__odd__work"))).toEqual([true, true, false])
  expect(offered.join()).not.toMatch(/mcp__other|mcp__ofFolder/)
  expect(JSON.stringify(server.requests[1]?.body["messages"])).toContain("worked: tea")
  expect(["odd.log", "other.log", "folder.log"].map((log) => existsSync(place.path(log)))).toEqual([true, false, false])
  running.signal("SIGTERM")
  expect(await running.ended).toMatchObject({ code: 0 })
})
