import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { fillCommand, readCommandFile, usageOf, type CommandFile } from "./typed-command-file.ts"

function command(text: string): CommandFile {
  const read = readCommandFile("stem", text)
  if (read.kind === "unfit") throw new Error(read.why)
  return read.command
}

function why(text: string): string {
  const read = readCommandFile("stem", text)
  return read.kind === "unfit" ? read.why : `is a command named ${read.command.name}`
}

const inBlock = `---
# how to deploy
name: deploy
description: 'Puts it''s files: there'  # and waits
allowed-tools:
  - bash
  - read
args:
  - name: target
    description: "Where to, \\"prod\\" or not"
    required: true
  - { name: when, required: FALSE }
---

Deploy to {{target}} {{ when }}.
`

describe("the head of a command file", () => {
  it("may have its list in a block", () => {
    expect(command(inBlock)).toEqual({
      name: "deploy",
      description: "Puts it's files: there",
      args: [
        { name: "target", description: 'Where to, "prod" or not', required: true },
        { name: "when", description: "", required: false },
      ],
      body: "Deploy to {{target}} {{ when }}.",
    })
    expect(usageOf(command(inBlock))).toBe("<target> [when]")
  })

  it("may have its list in one line, and lines that end as on other systems", () => {
    const text =
      '---\r\nargs: [{name: a, description: "x, y]", required: true}, {name: b}] # two\r\n---\r\nDo {{a}}\r\n'
    expect(command(text).args).toEqual([
      { name: "a", description: "x, y]", required: true },
      { name: "b", description: "", required: false },
    ])
    expect(command("---\nargs: []\n---\nDo").args).toEqual([])
  })

  it("need not be there: the file's name will do", () => {
    expect(command("Do it.\n")).toEqual({ name: "stem", description: "", args: [], body: "Do it." })
  })

  it.each([
    ["---\nname: a\nDo it", "the head that begins with '---' has no end"],
    ["---\nname: a\nname: b\n---\nx", "line 3 says 'name' again"],
    ["---\njust words\n---\nx", "line 2 is not of the form 'key: value'"],
    ["---\ndescription: |\n  long\n---\nx", "line 2 must say all in one line"],
    ["---\ndescription: &a b\n---\nx", "line 2 begins in a way that is not understood; put it in quotes"],
    ['---\ndescription: "a\n---\nx', 'line 2 has an unfit "…"'],
    ["---\nname: a b\n---\nx", "'a b' is no name that can be typed"],
    ["---\nargs:\n  - name: a\n  - name: a\n---\nx", "has two arguments of one name"],
    ["---\nargs:\n  - name: a\n    required: perhaps\n---\nx", "says neither true nor false for 'required' of 'a'"],
    ["---\nargs:\n  - a\n---\nx", "line 3 is not of the form 'key: value'"],
    ["---\nargs: [{name: a}\n---\nx", "line 2 has a list in which ']' is missing"],
    ["---\nargs: nonsense\n---\nx", "line 2 has a list in which '[' is missing"],
    ["---\nargs: [{name: a, name: b}]\n---\nx", "line 2 has a list whose maps are not understood"],
    ["---\nname: a\n---\n \n", "has no text behind its head"],
  ])("%j is told", (text, told) => {
    expect(why(text)).toBe(told)
  })

  it("is read or told, whatever it is", () => {
    const piece = fc.constantFrom(
      "---",
      "name: x",
      "args:",
      "args: [",
      "{name: a",
      "}",
      "]",
      "- ",
      "  - name: b",
      '"',
      "'",
      "#",
      "x",
    )
    const text = fc.array(fc.oneof(piece, fc.string()), { maxLength: 20 }).map((lines) => `---\n${lines.join("\n")}`)
    fc.assert(fc.property(text, (head) => ["command", "unfit"].includes(readCommandFile("stem", head).kind)))
  })
})

describe("the words behind a command", () => {
  it("take the places of its arguments; what is left over belongs to the last", () => {
    expect(fillCommand(command(inBlock), ["prod"])).toEqual({ kind: "prompt", text: "Deploy to prod ." })
    const text = "Deploy to prod right now."
    expect(fillCommand(command(inBlock), ["prod", "right", "now"])).toEqual({ kind: "prompt", text })
  })

  it("are put in as they are and never read again", () => {
    const words = ['{{when}} $& $1\n"q"', "{{target}}"]
    const text = 'Deploy to {{when}} $& $1\n"q" {{target}}.'
    expect(fillCommand(command(inBlock), words)).toEqual({ kind: "prompt", text })
  })

  it("that are missing are named", () => {
    const told = { kind: "failed", why: "Missing required argument: target" }
    expect(fillCommand(command(inBlock), [])).toEqual(told)
    expect(fillCommand(command(inBlock), [""])).toEqual(told)
  })

  it("are not lost where none are wanted", () => {
    expect(fillCommand(command("Do {{it}}"), [])).toEqual({ kind: "prompt", text: "Do {{it}}" })
    expect(fillCommand(command("Do it"), ["now"])).toEqual({ kind: "failed", why: "/stem takes no arguments" })
  })
})
