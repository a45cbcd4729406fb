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
  { name: "completion", summary: "Print it.", positionals: "SHELL", options: {}, load },
]

describe("what shells are told", () => {
  it("is every command with its options and what may follow it", () => {
    expect(described(commands)).toMatchObject([
      { name: "log", takes: "sessions", options: [{ name: "after", short: "a", takesValue: true }, { name: "help" }] },
      { name: "completion", takes: ["bash", "zsh", "fish"] },
      { name: "help", takes: ["log", "completion"] },
    ])
  })
})

describe("quotes and signs of the shell in a help text stay text", () => {
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

it("bash gets no help texts at all", () => {
  expect(bashCompletion(described(commands))).not.toContain("it's")
})
