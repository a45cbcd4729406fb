import { describe, expect, it } from "vitest"
import type { HostCommandResults } from "../contract/host-commands.ts"
import type { Answered } from "../contract/host-port.ts"
import { id, nothing, type, typeArguments, type TestOptions } from "./fixtures/typed-command.ts"
import { slashCatalogue } from "./table.ts"

describe("resolving a name", () => {
  it("matches exactly, with or without a leading slash", async () => {
    const helpShown = { success: true, action_taken: "help_displayed", command: "help" }
    expect((await type("help", { answers: { commands: nothing } })).result).toMatchObject(helpShown)
    expect((await type("/help", { answers: { commands: nothing } })).result).toMatchObject(helpShown)
    const unknown = { success: false, error: "Unknown command: /HELP", blocked: false }
    expect((await type("HELP")).result).toEqual({ type: "slash_command_result", command: "HELP", ...unknown })
  })

  it("reports an unknown, empty or overlong name, and shortens it in the error", async () => {
    expect((await type("foo")).result.error).toBe("Unknown command: /foo")
    expect((await type("")).result.error).toBe("Unknown command: /")
    const endless = await type("x".repeat(100_000))
    expect(endless.result.error).toBe(`Unknown command: /${"x".repeat(100)}`)
    expect(endless.done).toEqual([])
  })

  it.each(["exec", "EXEC", "/Exec", "shell", "profile:export", "profile:import", "approvals", "hibernate"])(
    "refuses a blocked command in any letter case: %s",
    async (name) => {
      const bare = name.replace("/", "")
      expect(await type(name)).toEqual({
        result: {
          type: "slash_command_result",
          command: bare,
          success: false,
          error: `Command '${bare}' is blocked for remote execution`,
          blocked: true,
        },
        exits: false,
        done: [],
      })
    },
  )

  it("replaces the default list of blocked commands by a configured one", async () => {
    const blocked = { options: { blocked: ["/Model"] } }
    expect((await type("model m2", blocked)).result).toMatchObject({ success: false, blocked: true })
    const error = "ExecCommand is blocked for remote execution"
    expect((await type("exec ls", blocked)).result).toMatchObject({ success: false, error, blocked: false })
  })
})

describe("help", () => {
  it("lists every available command once", async () => {
    const { result } = await type("help", { answers: { commands: nothing } })
    const shown = slashCatalogue.groups.flatMap(({ commands }) => commands.map(({ name }) => name))
    expect(new Set(shown).size).toBe(shown.length)
    for (const name of shown) expect(result.output).toMatch(new RegExp(`^  /${name}( |$)`, "m"))
  })

  it("lists commands of the folder, of extensions, plugins, MCP servers and skills under their names", async () => {
    const value = [
      { name: "fix", description: "Fixes it", usage: "<what>", source: "folder" },
      { name: "deploy:go", description: "Deploys", source: "deploy" },
      { name: "sell", description: "Sells", source: "plugin shop" },
      { name: "mcp__till__open", description: "Opens", source: "MCP server till" },
      { name: "rel", description: "Releases", source: "project" },
    ]
    const answers = { commands: { kind: "answer", value } } as const
    const { output } = (await type("help", { answers })).result
    expect(output).toContain("Folder commands:\n  /fix <what>                   Fixes it")
    expect(output).toContain("Extension deploy:\n  /deploy:go                    Deploys")
    expect(output).toMatch(/^Plugin shop:\n {2}\/sell /m)
    expect(output).toMatch(/^MCP server till:\n {2}\/mcp__till__open /m)
    expect(output).toMatch(/^Skills of the folder:\n {2}\/rel /m)
    expect((await type("help fix", { answers })).result.output).toBe(
      "Folder commands:\n  /fix <what>                   Fixes it",
    )
    expect((await type("commands", { answers })).result.output).not.toContain("/status")
  })

  it("shows one command, or why it is unavailable", async () => {
    expect((await type("help rewind")).result.output).toBe("/rewind [turns=1]\nundo the newest turns; files stay")
    expect((await type("help dream")).result.error).toBe("/dream: Dreaming is not available in this release")
  })
})

describe("a custom command", () => {
  const run = (result: Answered<HostCommandResults["run-command"]>): TestOptions => ({
    results: { "run-command": result },
  })

  it("gets its arguments unchanged", async () => {
    const args = ['say "it"', "two\nlines", "{{x}}", "y".repeat(1_000_000)]
    const { done } = await typeArguments("fix", args, run({ kind: "answer", value: { kind: "output", text: "ok" } }))
    expect(done).toEqual([{ type: "run-command", sessionId: id, name: "fix", args }])
  })

  it("sends its text as a prompt, or shows it", async () => {
    const prompted = await type("fix", run({ kind: "answer", value: { kind: "prompt", text: "Fix it." } }))
    expect(prompted.done.at(-1)).toEqual({ prompt: "Fix it." })
    expect(prompted.result).toMatchObject({ success: true, output: "Fix it.", action_taken: "message_added" })
    const shown = await type("fix", run({ kind: "answer", value: { kind: "output", text: "all good" } }))
    expect(shown.done).toHaveLength(1)
    expect(shown.result).toMatchObject({ success: true, output: "all good" })
  })

  it("fails with its own message", async () => {
    const what = "Missing required argument: what"
    const { result } = await type(
      "fix",
      run({ kind: "refused", refusal: { code: "command.failed", name: "fix", what } }),
    )
    expect(result).toMatchObject({ success: false, error: what })
  })

  it("cannot replace a built-in command", async () => {
    expect((await type("clear")).done).toEqual([{ type: "clear-context" }])
  })
})
