// An unmodified `.claude` folder with `.mcp.json`, and three installed plugins, in one session: what of them reaches the model
// is read in the requests to a provider on loopback.
import { join } from "node:path"
import { expect, it } from "vitest"
import { programOf } from "../../src/mcp/fixtures/servers.ts"
import { claudePlace, put } from "./claude-place.ts"
import { installAll } from "./three-plugins.ts"

const folder = {
  ".claude/skills/release/SKILL.md":
    "---\nname: release\ndescription: Use when a release is due\n---\nCount the CHANGES.",
  ".claude/agents/reviewer.md": "---\nname: reviewer\ndescription: Reviews code\ntools: Read\n---\nYou review CODE.",
  ".claude/commands/ship.md": "Ship $ARGUMENTS today.",
  ".mcp.json": {
    mcpServers: {
      everything: { command: process.execPath, args: [programOf("@modelcontextprotocol/server-everything"), "stdio"] },
    },
  },
}

it("uses skills, agents, commands and servers of the folder and of the plugins together", async (test) => {
  const { place, server } = await claudePlace(
    test,
    [
      { blocks: [{ tool: "skill", input: { name: "release" } }] },
      { blocks: [{ tool: "mcp__everything__echo", input: { message: "from the folder" } }] },
      { blocks: [{ tool: "mcp__till__work", input: { value: "from the plugin" } }] },
      { blocks: [{ tool: "skill", input: { name: "bread" } }] },
      { blocks: [{ tool: "bash", input: { command: "echo the guard let it pass" } }] },
      { blocks: [{ tool: "Task", input: { subagent_type: "reviewer", description: "review", prompt: "look" } }] },
      { blocks: [{ text: "All good." }] },
      { blocks: [{ tool: "Task", input: { subagent_type: "clerk", description: "talk", prompt: "greet" } }] },
      { blocks: [{ text: "Good day." }] },
      { blocks: [{ text: "Released." }] },
      { blocks: [{ text: "Shipped." }] },
      { blocks: [{ text: "Counted." }] },
    ],
    { tools: { allow: ["mcp__everything", "mcp__till"] } },
  )
  put(place.folder, folder)
  await installAll(place)
  const untrusted = await place.run("run", "--agent", "reviewer", "look")
  expect(untrusted).toMatchObject({ code: 2 })
  expect(server.requests).toEqual([])
  await place.run("trust", ".")
  const { code, stdout, stderr } = await place.run("run", "--yes", "--allow-untrusted", "release it")
  expect({ code, stdout, stderr }).toMatchObject({ code: 3, stdout: "Released.\n" }) // a call was refused
  const bodies = server.requests.map(({ body }) => JSON.stringify(body))
  expect(bodies[0]).toContain("- release: Use when a release is due")
  expect(bodies[0]).toContain("- sell: How to SELL")
  expect(bodies[0]).toContain("- careful: How to be careful")
  expect(bodies[0]).toContain("- reviewer: Reviews code")
  expect(bodies[0]).toContain("- clerk: Talks to customers")
  expect(bodies[0]).toContain('"name":"mcp__everything__echo"')
  expect(bodies[0]).toContain('"name":"mcp__till__work"')
  expect(bodies[1]).toContain("Count the CHANGES.")
  expect(bodies[2]).toContain("Echo: from the folder")
  expect(bodies[3]).toContain("worked: from the plugin")
  expect(bodies[4]).toContain("Use flour.")
  expect(bodies[5]).toContain("the guard says no")
  expect(bodies[6]).toContain("You review CODE.")
  expect(bodies[8]).toContain("You are the CLERK.")
  const id = await place.newest()
  await place.start(["attach", id, "--plain"], { input: "/ship the tea\n/stock:count tea\n" }).ended
  const messages = JSON.stringify(server.requests.at(-1)?.body["messages"])
  expect(messages).toContain("Ship the tea today.")
  expect(messages).toContain(`Count the stock of tea in ${join(place.home, "plugins/shop")}.`)
  expect(place.has(join(".turnhouse"))).toBe(false)
})
