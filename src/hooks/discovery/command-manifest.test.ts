import { describe, expect, it } from "vitest"
import type { JsonValue } from "../../contract/values.ts"
import { readCommands } from "./command-manifest.ts"

function read(commands: JsonValue, more: Record<string, JsonValue> = { extension: {} }) {
  return readCommands(JSON.stringify({ name: "p", commands, ...more }))
}

describe("the commands of a manifest", () => {
  it("have four kinds; an ambiguous entry is the first that matches", () => {
    const { commands, problems } = read([
      {
        name: "a",
        description: "Shows\na page.",
        command: "cat",
        args: ["docs/demo.md"],
        tool: "t",
        interactive: true,
      },
      { name: "b", tool: "t", input: { text: "${args}" }, prompt: "p" },
      { name: "c", skill: "reviewer", prompt: "Review ${args}", interactive: true },
      { name: "d", interactive: true, subcommands: ["new", "doctor", 3] },
      { name: "e", interactive: false },
    ])
    expect(problems).toEqual([])
    expect(commands).toEqual([
      {
        name: "a",
        description: "Shows a page.",
        usage: undefined,
        action: { kind: "program", command: "cat", args: ["docs/demo.md"] },
      },
      { name: "b", description: "", usage: undefined, action: { kind: "tool", tool: "t", input: { text: "${args}" } } },
      {
        name: "c",
        description: "",
        usage: undefined,
        action: { kind: "prompt", prompt: "Review ${args}", skill: "reviewer" },
      },
      { name: "d", description: "", usage: "new | doctor", action: { kind: "invoke" } },
    ])
  })

  it("are at its top level or in its extension", () => {
    const extension = { commands: [{ name: "inner", interactive: true }] }
    expect(read([{ name: "outer", command: "true" }], { extension }).commands).toMatchObject([
      { name: "outer" },
      { name: "inner" },
    ])
  })

  it.each([
    [7, "commands[0] is not an object"],
    [{ command: "true" }, "the name of commands[0] must be"],
    [{ name: "two words", command: "true" }, "the name of commands[0] must be"],
    [{ name: "a:b", command: "true" }, "the name of commands[0] must be"],
    [{ name: "x".repeat(65), command: "true" }, "the name of commands[0] must be"],
    [{ name: "a" }, "the command 'a' has none of: command, tool, prompt, interactive"],
    [{ name: "a", command: " " }, "the command 'a' names an empty program"],
    [{ name: "a", command: "/bin/sh" }, "the command 'a' must name a program in the plugin's folder"],
    [{ name: "a", command: "bin/../../sh" }, "the command 'a' must name a program in the plugin's folder"],
    [{ name: "a", command: "cat", args: "x" }, "the command 'a' has arguments that are not a list of strings"],
    [{ name: "a", command: "cat", args: [1] }, "the command 'a' has arguments that are not a list of strings"],
    [[{ name: "a", command: "true" }], "commands[0] is not an object"],
  ])("skip %j and keep the others", (entry, problem) => {
    const { commands, problems } = read([entry, { name: "good", command: "true" }])
    expect(commands.map(({ name }) => name)).toEqual(["good"])
    expect(problems).toEqual([expect.stringContaining(problem)])
  })

  it("are unique, and need an extension only if they call one", () => {
    const twice = read([
      { name: "a", command: "true" },
      { name: "a", command: "false" },
    ])
    expect(twice.commands).toMatchObject([{ action: { command: "true" } }])
    expect(twice.problems).toEqual(["the command 'a' is declared twice"])
    expect(read([{ name: "a", interactive: true }], {})).toEqual({
      commands: [],
      problems: ["the command 'a' needs an extension, but the plugin has none"],
    })
  })

  it("are empty without commands or without a valid manifest", () => {
    for (const text of ["{}", "[]", "nonsense", '{"commands": null}', '{"extension": null, "commands": []}'])
      expect(readCommands(text)).toEqual({ commands: [], problems: [] })
  })

  it("have a maximum number", () => {
    const { commands, problems } = read(Array.from({ length: 150 }, (_, at) => ({ name: `c${at}`, command: "true" })))
    expect(commands).toHaveLength(100)
    expect(problems).toEqual(["only the first 100 commands are used"])
  })
})
