import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { temporaryFolder, writeFiles } from "./fixtures/plugin-files.ts"
import { readPlugin } from "./layout.ts"

function plugin(files: Readonly<Record<string, unknown>>) {
  const folder = join(temporaryFolder(), "shop")
  writeFiles(folder, files)
  return { folder, read: () => readPlugin(folder) }
}

describe("a plugin of synaps", () => {
  it("has skills, commands and agents beside its extension", () => {
    const { folder, read } = plugin({
      ".synaps-plugin/plugin.json": {
        name: "Shop",
        version: "1.2.0",
        extension: {},
        commands: [{ name: "go", prompt: "x" }],
      },
      "skills/sell/SKILL.md": "Sell.",
      "commands/buy.md": "Buy.",
      "agents/clerk.md": "You sell.",
    })
    expect(read()).toMatchObject({
      id: "shop",
      name: "Shop",
      version: "1.2.0",
      skills: [{ folder: join(folder, "skills") }],
      commands: [{ folder: join(folder, "commands") }],
      agents: [{ folder: join(folder, "agents") }],
      declaredCommands: ["go"],
      extensionText: expect.stringContaining("extension"),
      problems: [],
    })
  })
})

describe("a plugin of Claude Code", () => {
  it("has the usual folders without being asked for them", () => {
    const { folder, read } = plugin({
      ".claude-plugin/plugin.json": { name: "shop" },
      "skills/sell/SKILL.md": "Sell.",
      ".mcp.json": { mcpServers: { db: { command: "db" } } },
      "hooks/hooks.json": { hooks: { PreToolUse: [] } },
    })
    expect(read()).toMatchObject({
      skills: [{ folder: join(folder, "skills") }],
      commands: [],
      servers: [{ source: join(folder, ".mcp.json"), value: { db: { command: "db" } } }],
      hooks: [{ value: { PreToolUse: [] } }],
      extensionText: undefined,
    })
  })

  it("names its files: skills are added to the usual ones, commands and agents replace them", () => {
    const { folder, read } = plugin({
      ".claude-plugin/plugin.json": {
        skills: ["./more/xlsx"],
        commands: ["./custom/one.md", "custom/folder"],
        agents: "./experts/",
        mcpServers: "./servers.json",
        hooks: { Stop: [] },
      },
      "skills/sell/SKILL.md": "Sell.",
      "more/xlsx/SKILL.md": "Tables.",
      "commands/left-out.md": "No.",
      "custom/one.md": "One.",
      "custom/folder/two.md": "Two.",
      "experts/clerk.md": "You sell.",
      "servers.json": { db: { url: "https://db.example/mcp" } },
    })
    expect(read()).toMatchObject({
      skills: [{ folder: join(folder, "skills") }, { folder: join(folder, "more"), only: new Set(["xlsx"]) }],
      commands: [
        { folder: join(folder, "custom"), only: new Set(["one.md"]) },
        { folder: join(folder, "custom/folder") },
      ],
      agents: [{ folder: join(folder, "experts") }],
      servers: [{ value: { db: { url: "https://db.example/mcp" } } }],
      hooks: [{ value: { Stop: [] } }],
      problems: [],
    })
  })

  it.for(["../other", "/etc", "skills/../../other", "out", "\0"])(
    "cannot name %j, which is not in its folder",
    (path) => {
      const { folder, read } = plugin({ ".claude-plugin/plugin.json": { agents: path, mcpServers: path }, "x.md": "" })
      mkdirSync(join(folder, "..", "other"))
      symlinkSync(join(folder, "..", "other"), join(folder, "out"))
      const { agents, servers, problems } = read()
      expect(agents.flatMap(({ only }) => [...(only ?? ["all"])])).toEqual([])
      expect(servers).toEqual([])
      expect(problems).toEqual([expect.stringContaining("agents:"), expect.stringContaining("mcpServers:")])
    },
  )

  it.for([7, [{}], null, { name: "x" }])("cannot have %j as its commands", (commands) => {
    const { read } = plugin({ ".claude-plugin/plugin.json": { commands }, "commands/a.md": "A." })
    expect(read()).toMatchObject({ commands: [], problems: [expect.stringContaining("must name paths")] })
  })

  it.for(["{", "[]", "7", "\u0000"])("reports a manifest that is %j", (text) => {
    const { folder, read } = plugin({ "x.md": "" })
    mkdirSync(join(folder, ".claude-plugin"))
    writeFileSync(join(folder, ".claude-plugin/plugin.json"), text)
    expect(read().manifestProblems.claude).toContain("plugin.json: it is not")
  })
})
