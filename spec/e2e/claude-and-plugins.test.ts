// A `.claude` folder with everything that it may have and three plugins in one session: what of them reaches the model.
import { join } from "node:path"
import { expect, it } from "vitest"
import { misbehavingProgram } from "../../src/mcp/fixtures/servers.ts"
import { claudePlace, put } from "./claude-place.ts"
import { installAll } from "./three-plugins.ts"

it("gives one session the skills, agents, commands and MCP servers of the folder and of all plugins", async (test) => {
  const { place, server } = await claudePlace(
    test,
    [
      { blocks: [{ tool: "mcp__till__work", input: { value: "plugin" } }] },
      { blocks: [{ tool: "mcp__desk__work", input: { value: "folder" } }] },
      { blocks: [{ tool: "Task", input: { subagent_type: "reviewer", description: "look", prompt: "look" } }] },
      { blocks: [{ text: "Reviewed." }] },
      { blocks: [{ text: "Done." }] },
      { blocks: [{ text: "Committed." }] },
    ],
    { tools: { allow: ["mcp__*"] } },
  )
  put(join(place.folder, ".claude"), {
    "skills/release/SKILL.md": "---\ndescription: How to RELEASE\n---\nCount.",
    "agents/reviewer.md": "---\nname: reviewer\ndescription: Reviews\ntools: Read, mcp__desk__work\n---\nYou REVIEW.",
    "commands/git/commit.md": "Commit with the message: $ARGUMENTS",
  })
  const desk = { type: "stdio", command: process.execPath, args: [misbehavingProgram, "well"], env: {} }
  put(place.folder, { ".mcp.json": { mcpServers: { desk } } })
  await installAll(place)
  await place.run("trust", ".")
  const { stdout, stderr } = await place.run("run", "--yes", "--allow-untrusted", "go")
  expect({ stdout, stderr }).toEqual({ stdout: "Done.\n", stderr: expect.not.stringContaining("not used") })

  const bodies = server.requests.map(({ body }) => body)
  const system = JSON.stringify(bodies[0]?.["system"])
  const skills = [
    "- bread: How to bake BREAD",
    "- careful: How to be careful",
    "- release: How to RELEASE",
    "How to SELL",
  ]
  for (const text of [...skills, "- clerk: Talks to customers", "- reviewer: Reviews"]) expect(system).toContain(text)
  const tools = JSON.stringify(bodies[0]?.["tools"])
  for (const tool of ["mcp__till__work", "mcp__desk__work"]) expect(tools).toContain(tool)
  expect(JSON.stringify(bodies[1]?.["messages"])).toContain("worked: plugin")
  expect(JSON.stringify(bodies[2]?.["messages"])).toContain("worked: folder")
  expect(JSON.stringify(bodies[3]?.["system"])).toContain("You REVIEW.")
  expect(JSON.stringify(bodies[3]?.["tools"])).toMatch(/mcp__desk__work(?!.*mcp__till)/)

  const session = (await place.run("new")).stdout.trim()
  await place.start(["attach", session], { input: "/git:commit the change\n" }).ended
  expect(JSON.stringify(server.requests.at(-1)?.body["messages"])).toContain("Commit with the message: the change")
})
