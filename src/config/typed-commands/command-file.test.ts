import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { fillCommand, readCommandFile, usageOf, type CommandFile } from "./command-file.ts"

async function command(text: string): Promise<CommandFile> {
  const read = await readCommandFile("stem", text)
  if (read.kind === "unfit") throw new Error(read.why)
  return read.command
}

async function problemOf(text: string): Promise<string> {
  const read = await readCommandFile("stem", text)
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

describe("the front matter of a command file", () => {
  it("may have its list in a block", async () => {
    expect(await command(inBlock)).toEqual({
      name: "deploy",
      description: "Puts it's files: there",
      args: [
        { name: "target", description: 'Where to, "prod" or not', required: true },
        { name: "when", description: "", required: false },
      ],
      body: "Deploy to {{target}} {{ when }}.",
    })
    expect(usageOf(await command(inBlock))).toBe("<target> [when]")
  })

  it("may have its list in one line, and lines that end as on other systems", async () => {
    const text =
      '---\r\nargs: [{name: a, description: "x, y]", required: true}, {name: b}] # two\r\n---\r\nDo {{a}}\r\n'
    expect((await command(text)).args).toEqual([
      { name: "a", description: "x, y]", required: true },
      { name: "b", description: "", required: false },
    ])
    expect((await command("---\nargs: []\n---\nDo")).args).toEqual([])
  })

  it("is optional: the file's name is the command's name", async () => {
    expect(await command("Do it.\n")).toEqual({ name: "stem", description: "", args: [], body: "Do it." })
  })

  it("may have unwanted keys that are no YAML", async () => {
    expect((await command("---\nargument-hint: [pr] [priority]\nname: a\nhint: @x\n  more\n---\nDo")).name).toBe("a")
  })

  it("may have text of several lines", async () => {
    expect((await command("---\ndescription: |\n  one\n  two\n---\nDo")).description).toBe("one\ntwo\n")
  })

  it.each([
    ["---\nname: a\nDo it", "line 1: front matter is not closed. Add a line '---' after it."],
    ["---\nname: a\nname: b\n---\nx", "line 3: Map keys must be unique"],
    ["---\njust words\n---\nx", "line 2: expected 'key: value'"],
    ["---\n- a\n---\nx", "line 2: expected 'key: value'"],
    ["---\ndescription: [a]\n---\nx", "line 2: expected a text. Put it in quotes."],
    ["---\nname: &a b\ndescription: *a\n---\nx", "line 3: expected a text. Put it in quotes."],
    ["---\ndescription: !tag b\n---\nx", "line 2: Unresolved tag: !tag"],
    ['---\ndescription: "a\n---\nx', 'line 2: Missing closing "quote'],
    ["---\nname: a b\n---\nx", "invalid command name 'a b'. Use letters, digits, '_', '.', ':' and '-'."],
    ["---\nargs:\n  - name: a\n  - name: a\n---\nx", "two arguments have the same name"],
    ["---\nargs:\n  - name: a\n    required: perhaps\n---\nx", "'required' of argument 'a' is neither true nor false"],
    ["---\nargs:\n  - a\n---\nx", "line 3: expected 'key: value'"],
    ["---\nargs:\n  - name: [a]\n---\nx", "line 3: expected a text. Put it in quotes."],
    [
      "---\nargs: [{name: a}\n---\nx",
      "line 2: Flow sequence in block collection must be sufficiently indented and end with a ]",
    ],
    ["---\nargs: nonsense\n---\nx", "line 2: expected a list"],
    ["---\nargs: [{name: a, name: b}]\n---\nx", "line 2: Map keys must be unique"],
    [`---\ndescription: ${"a".repeat(20_000)}\n---\nx`, "front matter has more than 16384 characters"],
    ["---\nname: a\n---\n \n", "no text after the front matter"],
  ])("%j is refused with a reason", async (text, reason) => {
    expect(await problemOf(text)).toBe(reason)
  })

  it("is refused, not expanded, when it nests without end", async () => {
    for (const open of ["[", "{a: ", "- ", "? "])
      expect(await problemOf(`---\nargs: ${open.repeat(3000)}\n---\nx`)).toContain("line 2: ")
  })

  it("is parsed or rejected with a reason, for any text", async () => {
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
    await fc.assert(
      fc.asyncProperty(text, async (head) => ["command", "unfit"].includes((await readCommandFile("stem", head)).kind)),
    )
  })
})

describe("the text typed after a command", () => {
  it("fills its arguments in order; the last argument gets the rest", async () => {
    expect(fillCommand(await command(inBlock), ["prod"])).toEqual({ kind: "prompt", text: "Deploy to prod ." })
    const text = "Deploy to prod right now."
    expect(fillCommand(await command(inBlock), ["prod", "right", "now"])).toEqual({ kind: "prompt", text })
  })

  it("is inserted as it is and not expanded again", async () => {
    const typedArgs = ['{{when}} $& $1\n"q"', "{{target}}"]
    const text = 'Deploy to {{when}} $& $1\n"q" {{target}}.'
    expect(fillCommand(await command(inBlock), typedArgs)).toEqual({ kind: "prompt", text })
  })

  it("is required for each required argument", async () => {
    const missing = { kind: "failed", why: "Missing required argument: target" }
    expect(fillCommand(await command(inBlock), [])).toEqual(missing)
    expect(fillCommand(await command(inBlock), [""])).toEqual(missing)
  })

  it("is refused if the command takes no arguments", async () => {
    expect(fillCommand(await command("Do {{it}}"), [])).toEqual({ kind: "prompt", text: "Do {{it}}" })
    expect(fillCommand(await command("Do it"), ["now"])).toEqual({ kind: "failed", why: "/stem takes no arguments" })
  })
})
