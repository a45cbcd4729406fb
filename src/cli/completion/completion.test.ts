import { execFileSync } from "node:child_process"
import { describe, expect, it } from "vitest"
import type { Command } from "../command.ts"
import { bashCompletion } from "./bash.ts"
import { described } from "./described.ts"
import { fishCompletion } from "./fish.ts"
import { zshCompletion } from "./zsh.ts"

const load = async () => ({ run: async () => 0 })
const commands: readonly Command[] = [
  {
    name: "log",
    summary: "Show every fact of a session's log.",
    positionals: "ID",
    options: { after: { type: "string", short: "a", value: "SEQ", help: "After [this]: it's \\ one." } },
    load,
  },
  {
    name: "completion",
    summary: "Print it.",
    positionals: "SHELL",
    completes: ["bash", "zsh", "fish"],
    options: {},
    load,
  },
]

describe("the description of commands for shells", () => {
  it("has every command with its options and arguments", () => {
    expect(described(commands)).toMatchObject([
      {
        name: "log",
        completions: "sessions",
        options: [{ name: "after", short: "a", takesValue: true }, { name: "help" }],
      },
      { name: "completion", completions: ["bash", "zsh", "fish"] },
      { name: "help", completions: ["all", "log", "completion"] },
    ])
  })
})

describe("the actions of a command", () => {
  const ext: Command = {
    name: "ext",
    summary: "Extensions.",
    positionals: "ls | check DIR | new DIR",
    completes: ["ls", "check", "new"],
    options: {},
    load,
  }
  const known = described([ext])

  it("are offered first, and then files", () => {
    expect(known[0]).toMatchObject({ name: "ext", completions: ["ls", "check", "new"] })
    expect(zshCompletion(known)).toContain("'1:argument:(ls check new)' '*:argument:_files'")
    const condition = "__fish_seen_subcommand_from ext; and not __fish_seen_subcommand_from ls check new"
    expect(fishCompletion(known)).toContain(`complete -c turnhouse -n '${condition}' -f -a 'ls check new'`)
  })

  it.each([
    [["turnhouse", "ext", ""], "ls check new"],
    [["turnhouse", "ext", "ch"], "check"],
    [["turnhouse", "ext", "check", ""], ""],
    [["turnhouse", "ext", "check", "--h"], "--help"],
  ])("are completed by bash for %j", (args, completed) => {
    const typed = args.map((word) => `'${word}'`).join(" ")
    const ask = `COMP_WORDS=(${typed}); COMP_CWORD=${args.length - 1}; _turnhouse; echo "\${COMPREPLY[*]}"`
    const output = execFileSync("bash", ["--norc", "-c", `${bashCompletion(known)}\n${ask}`], { encoding: "utf8" })
    expect(output.trim()).toBe(completed)
  })
})

describe("special characters of the shell in a help text are quoted", () => {
  it("in zsh", () => {
    const script = zshCompletion(described(commands))
    expect(script).toContain(String.raw`'log:Show every fact of a session'\''s log.'`)
    expect(script).toContain(String.raw`'--after[After \[this\]\: it'\''s \\ one.]:value:_default'`)
  })

  it("in fish", () => {
    const script = fishCompletion(described(commands))
    expect(script).toContain(String.raw`-a log -d 'Show every fact of a session\'s log.'`)
    expect(script).toContain(String.raw`-l after -s a -r -d 'After [this]: it\'s \\ one.'`)
  })
})

it("the script for bash contains no help texts", () => {
  expect(bashCompletion(described(commands))).not.toContain("it's")
})
