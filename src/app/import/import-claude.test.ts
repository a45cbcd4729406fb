import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { translateClaudeSettings } from "./claude-settings.ts"
import { importClaude, type ImportRequest } from "./import-claude.ts"

const check = { type: "command", command: "~/bin/check" }

describe("settings of Claude Code", () => {
  it("become rules with our names of tools", () => {
    const permissions = {
      allow: ["Bash(npm run test:*)", "Read", "mcp__memory", "mcp__files__read_*"],
      ask: ["Bash(git push *)", "mcp__tracker__*"],
      deny: ["Edit(.env)", "Task", "mcp__tracker__delete_issue"],
    }
    expect(translateClaudeSettings({ permissions })).toEqual({
      allow: ["bash(npm run test:*)", "read", "mcp__memory", "mcp__files__read_*"],
      confirm: ["bash(git push *)", "mcp__tracker__*"],
      deny: ["edit(.env)", "subagent*", "mcp__tracker__delete_issue"],
      hooks: {},
      skipped: [],
    })
  })

  it("become hooks in the same format", () => {
    const PreToolUse = [{ matcher: "Bash|mcp__.*", hooks: [{ ...check, timeout: 5 }] }]
    expect(translateClaudeSettings({ hooks: { PreToolUse } })).toMatchObject({ hooks: { PreToolUse }, skipped: [] })
  })

  it.for([
    [{ permissions: { allow: ["Bash(npm"] } }, "Bash(npm: must be TOOL or TOOL(ARGUMENT)"],
    [{ permissions: { allow: ["NoSuchTool"] } }, "NoSuchTool: there is no tool NoSuchTool"],
    [{ permissions: { allow: ["mcp__a__b(x)"] } }, "mcp__a__b(x): a rule about a tool of a server has no argument"],
    [
      { enabledMcpjsonServers: ["shop"] },
      "enabledMcpjsonServers: not needed: servers of .mcp.json are used in trusted",
    ],
    [{ enableAllProjectMcpServers: true }, "enableAllProjectMcpServers: not needed"],
    [{ disabledMcpjsonServers: ["shop"] }, 'disabledMcpjsonServers: set "disabled" for them'],
    [{ permissions: { deny: ["Task(reviewer)"] } }, "Task(reviewer): a rule cannot be about a single agent"],
    [{ permissions: { defaultMode: "plan" } }, "permissions.defaultMode: no counterpart"],
    [{ hooks: { Notification: [{ hooks: [check] }] } }, "hooks.Notification: this hook is not supported"],
    [{ hooks: { Stop: "x" } }, "hooks.Stop: it must be a list"],
    [{ hooks: { Stop: [{ hooks: [{ type: "prompt" }] }] } }, 'hooks.Stop of type "prompt": only shell commands'],
    [{ hooks: { Stop: [{ matcher: "a(b", hooks: [check] }] } }, 'hooks.Stop "a(b": a matcher must be names of tools'],
    [{ model: "opus" }, "model: choose a model with 'turnhouse models'"],
  ] as const)("%j is left out with the reason", ([settings, reason]) => {
    const { skipped } = translateClaudeSettings(settings)
    expect(skipped).toEqual([expect.stringContaining(reason)])
  })

  it.for([null, 7, [], { permissions: [] }, { hooks: { PreToolUse: "x" } }, { permissions: { allow: [7] } }])(
    "%j has nothing to import",
    (settings) => {
      expect(translateClaudeSettings(settings)).toMatchObject({ allow: [], confirm: [], deny: [], hooks: {} })
    },
  )
})

describe("an import", () => {
  function place(files: Readonly<Record<string, object | string>>): ImportRequest & { read: (name: string) => string } {
    const root = mkdtempSync(join(tmpdir(), "turnhouse-import-"))
    onTestFinished(() => rmSync(root, { recursive: true }))
    const [home, cwd, userFolder] = ["home", "project", "user"].map((name) => join(root, name))
    if (home === undefined || cwd === undefined || userFolder === undefined) throw new Error("no folders")
    for (const folder of [home, cwd, userFolder]) mkdirSync(folder)
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(root, name)), { recursive: true })
      writeFileSync(join(root, name), typeof content === "string" ? content : JSON.stringify(content))
    }
    const read = (name: string) => readFileSync(join(root, name), "utf8")
    return { home, cwd, userFolder, takesProjectAllow: false, isTrial: false, read }
  }

  it("adds to the user's file, keeps comments, and adds nothing twice", async () => {
    const request = place({
      "user/.claude/settings.json": { permissions: { allow: ["Bash(npm test)"], deny: ["Bash(rm:*)"] } },
      "home/config.json": '{\n  // mine\n  "tools": { "deny": ["bash(rm:*)"] }\n}\n',
    })
    expect(await importClaude(request)).toMatchObject([{ isChanged: true }])
    const text = request.read("home/config.json")
    expect(text).toContain("// mine")
    expect(JSON.parse(text.replace("// mine", ""))).toEqual({
      tools: { deny: ["bash(rm:*)"], allow: ["bash(npm test)"] },
    })
    expect(await importClaude(request)).toMatchObject([{ isChanged: false }])
    expect(request.read("home/config.json")).toBe(text)
  })

  it("puts the rules of a project into its file, but not what it allows", async () => {
    const request = place({
      "project/.claude/settings.json": { permissions: { allow: ["Bash"], deny: ["Read(.env)"] } },
    })
    const [file] = await importClaude(request)
    expect(JSON.parse(request.read("project/turnhouse.json"))).toEqual({ tools: { deny: ["read(.env)"] } })
    expect(file?.settings.skipped.join()).toContain("a project cannot allow calls")
    await importClaude({ ...request, takesProjectAllow: true })
    expect(JSON.parse(request.read("home/config.json"))).toEqual({ tools: { allow: ["bash"] } })
  })

  it("writes nothing in a trial", async () => {
    const request = place({ "user/.claude/settings.json": { permissions: { allow: ["Bash"] } } })
    expect(await importClaude({ ...request, isTrial: true })).toMatchObject([{ isChanged: true }])
    expect(() => request.read("home/config.json")).toThrow("ENOENT")
  })

  it("names the place of a mistake, and changes nothing", async () => {
    const broken = place({ "user/.claude/settings.json": '{"permissions": {' })
    await expect(importClaude(broken)).rejects.toThrow(/settings\.json:1:\d+: /)
    const own = place({ "user/.claude/settings.json": { permissions: { allow: ["Bash"] } }, "home/config.json": "{ x" })
    await expect(importClaude(own)).rejects.toThrow(/config\.json:1:\d+: /)
    expect(own.read("home/config.json")).toBe("{ x")
  })
})
