// Help texts and colours of the real program.
import { describe, expect, it } from "vitest"
import { commandGroups, commands } from "../../src/cli/commands.ts"
import { newPlace, program } from "./turnhouse.ts"

const names = commands.map(({ name }) => name)

describe.concurrent("help", () => {
  it.for([[["--help"]], [["-h"]], [["help"]], [[]]])("lists every command (%s)", async ([args], test) => {
    const { code, stdout, stderr } = await newPlace(test).run(...(args ?? []))
    expect(code).toBe(0)
    expect(stderr).toBe("")
    expect(stdout.split(/\s+/)).toEqual(expect.arrayContaining(names))
  })

  it("fits a terminal of 80 columns and 24 lines", async (test) => {
    const { stdout } = await newPlace(test).run("--help")
    const lines = stdout.trimEnd().split("\n")
    expect(lines.length).toBeLessThan(24)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
  })

  it("describes every command with 'help all', in groups of at most 10", async (test) => {
    const { stdout } = await newPlace(test).run("help", "all")
    const shown = commandGroups.flatMap(({ title, commands: members }) => [
      "",
      title,
      ...members.map(({ name, summary }) => `  ${name.padEnd(10)}  ${summary}`),
    ])
    const lines = stdout.trimEnd().split("\n")
    expect(lines.slice(1)).toEqual(shown)
    expect(Math.max(...commandGroups.map(({ commands: members }) => members.length))).toBeLessThanOrEqual(10)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
  })

  it.for(names)("of %s names its arguments and every option", async (name, test) => {
    const { code, stdout, stderr } = await newPlace(test).run(name, "--help")
    expect(code).toBe(0)
    expect(stderr).toBe("")
    expect(stdout).toContain(`Usage: turnhouse ${name}`)
    const options = commands.find((command) => command.name === name)?.options ?? {}
    for (const option of [...Object.keys(options), "help"]) expect(stdout).toContain(`--${option}`)
  })

  it("is the same with 'help COMMAND' and 'COMMAND -h'", async (test) => {
    const place = newPlace(test)
    expect((await place.run("help", "run")).stdout).toBe((await place.run("run", "-h")).stdout)
  })

  it("prints the version", async (test) => {
    const { code, stdout, stderr } = await newPlace(test).run("--version")
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toMatch(/^turnhouse \d+\.\d+\.\d+\n$/)
  })
})

describe.concurrent("colour", () => {
  /** A sequence that selects a colour or style; others move the cursor. */
  const colour = new RegExp(`${String.fromCodePoint(27)}\\[[\\d;]*m`)

  it("is not used in pipes", async (test) => {
    const place = newPlace(test)
    const turn = await place.run("run", "look around")
    const shown = [
      turn,
      await place.run("ls"),
      await place.run("log", await place.newest()),
      await place.run("nonsense"),
    ]
    expect(shown.map(({ stdout, stderr }) => stdout + stderr).join("")).not.toContain("\u001b")
  })

  it("is used on a terminal unless NO_COLOR is set", async (test) => {
    const place = newPlace(test)
    const model = place.script([[{ text: "Hello." }]])
    const command = `${program} run hi --model ${model}`
    const terminal = { env: { TERM: "xterm-256color" } }
    const coloured = await place.onTerminal(command, terminal).ended
    expect(coloured.stdout).toMatch(colour)
    const plain = await place.onTerminal(command, { env: { ...terminal.env, NO_COLOR: "1" } }).ended
    expect(plain.stdout).toContain("Hello.")
    expect(plain.stdout).not.toMatch(colour)
  })
})
