import { describe, expect, it } from "vitest"
import type { Answered } from "../contract/house-port.ts"
import { id, nothing, type, typeWords, type Said } from "./fixtures/typed-command.ts"
import { slashCatalogue } from "./table.ts"

describe("a name", () => {
  it("is looked up as it is written, with one slash before it or none", async () => {
    const helped = { success: true, action_taken: "help_displayed", command: "help" }
    expect((await type("help", { answers: { commands: nothing } })).result).toMatchObject(helped)
    expect((await type("/help", { answers: { commands: nothing } })).result).toMatchObject(helped)
    const unknown = { success: false, error: "Unknown command: /HELP", blocked: false }
    expect((await type("HELP")).result).toEqual({ type: "slash_command_result", command: "HELP", ...unknown })
  })

  it("that is nobody's is unknown, also when it is empty or endless", async () => {
    expect((await type("foo")).result.error).toBe("Unknown command: /foo")
    expect((await type("")).result.error).toBe("Unknown command: /")
    const endless = await type("x".repeat(100_000))
    expect(endless.result.error).toBe(`Unknown command: /${"x".repeat(100)}`)
    expect(endless.done).toEqual([])
  })

  it.each(["exec", "EXEC", "/Exec", "shell", "profile:export", "profile:import", "approvals", "hibernate"])(
    "that is on the list is blocked in any case: %s",
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

  it("may be blocked by the configuration instead of the usual ones", async () => {
    const blocked = { options: { blocked: ["/Model"] } }
    expect((await type("model m2", blocked)).result).toMatchObject({ success: false, blocked: true })
    const error = "ExecCommand is blocked for remote execution"
    expect((await type("exec ls", blocked)).result).toMatchObject({ success: false, error, blocked: false })
  })
})

describe("the help", () => {
  it("names every command that does something, and none twice", async () => {
    const { result } = await type("help", { answers: { commands: nothing } })
    const shown = slashCatalogue.groups.flatMap(({ commands }) => commands.map(({ name }) => name))
    expect(new Set(shown).size).toBe(shown.length)
    for (const name of shown) expect(result.output).toMatch(new RegExp(`^  /${name}( |$)`, "m"))
  })

  it("has what the folder, the user and extensions bring", async () => {
    const value = [
      { name: "fix", description: "Mends it", usage: "<what>", source: "folder" },
      { name: "deploy:go", description: "Deploys", source: "deploy" },
    ]
    const answers = { commands: { kind: "answer", value } } as const
    const { output } = (await type("help", { answers })).result
    expect(output).toContain("Of this folder:\n  /fix <what>                   Mends it")
    expect(output).toContain("Of the extension deploy:\n  /deploy:go                    Deploys")
    expect((await type("help fix", { answers })).result.output).toBe(
      "Of this folder:\n  /fix <what>                   Mends it",
    )
    expect((await type("commands", { answers })).result.output).not.toContain("/status")
  })

  it("tells of one command, and why one cannot be used", async () => {
    expect((await type("help rewind")).result.output).toBe("/rewind [turns=1]\ntakes back the newest turns")
    expect((await type("help dream")).result.error).toBe("/dream: Dreaming is not available in this release")
  })
})

describe("a command that somebody wrote", () => {
  const run = (answer: Answered): Said => ({ answers: { "run-command": answer } })

  it("gets its words as they were typed", async () => {
    const args = ['say "it"', "two\nlines", "{{x}}", "y".repeat(1_000_000)]
    const { done } = await typeWords("fix", args, run({ kind: "answer", value: { kind: "output", text: "ok" } }))
    expect(done).toEqual([{ type: "run-command", sessionId: id, name: "fix", args }])
  })

  it("starts a turn with its text, or shows it", async () => {
    const prompted = await type("fix", run({ kind: "answer", value: { kind: "prompt", text: "Mend it." } }))
    expect(prompted.done.at(-1)).toEqual({ prompt: "Mend it." })
    expect(prompted.result).toMatchObject({ success: true, output: "Mend it.", action_taken: "message_added" })
    const shown = await type("fix", run({ kind: "answer", value: { kind: "output", text: "all well" } }))
    expect(shown.done).toHaveLength(1)
    expect(shown.result).toMatchObject({ success: true, output: "all well" })
  })

  it("says what it lacks in its own words", async () => {
    const what = "Missing required argument: what"
    const { result } = await type(
      "fix",
      run({ kind: "refused", refusal: { code: "command.failed", name: "fix", what } }),
    )
    expect(result).toMatchObject({ success: false, error: what })
  })

  it("never comes before one of the table", async () => {
    expect((await type("clear")).done).toEqual([{ type: "clear-context" }])
  })
})
