// What the program says about itself, and how plainly.
import { describe, expect, it } from "vitest"
import { commands } from "../../src/cli/commands.ts"
import { newPlace, program } from "./turnhouse.ts"

const names = commands.map(({ name }) => name)

describe.concurrent("help", () => {
  it.for([[["--help"]], [["-h"]], [["help"]], [[]]])("lists every command (%s)", async ([args], test) => {
    const { code, stdout, stderr } = await newPlace(test).run(...(args ?? []))
    expect(code).toBe(0)
    expect(stderr).toBe("")
    for (const name of names) expect(stdout).toMatch(new RegExp(`^ {2}${name} +\\S`, "m"))
  })

  it.for(names)("of %s names its arguments and every option", async (name, test) => {
    const { code, stdout, stderr } = await newPlace(test).run(name, "--help")
    expect(code).toBe(0)
    expect(stderr).toBe("")
    expect(stdout).toContain(`Usage: turnhouse ${name}`)
    const options = commands.find((command) => command.name === name)?.options ?? {}
    for (const option of [...Object.keys(options), "help"]) expect(stdout).toContain(`--${option}`)
  })

  it("is the same by another way", async (test) => {
    const place = newPlace(test)
    expect((await place.run("help", "run")).stdout).toBe((await place.run("run", "-h")).stdout)
  })

  it("tells the version", async (test) => {
    const { code, stdout, stderr } = await newPlace(test).run("--version")
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toMatch(/^turnhouse \d+\.\d+\.\d+\n$/)
  })
})

describe.concurrent("colour", () => {
  const colour = "\u001b["

  it("stays out of pipes", async (test) => {
    const place = newPlace(test)
    const turn = await place.run("run", "look around")
    const shown = [
      turn,
      await place.run("ls"),
      await place.run("log", await place.newest()),
      await place.run("nonsense"),
    ]
    expect(shown.map(({ stdout, stderr }) => stdout + stderr).join("")).not.toContain(colour)
  })

  it("is there on a terminal, unless NO_COLOR asks for none", async (test) => {
    const place = newPlace(test)
    const model = place.script([[{ text: "Hello." }]])
    const command = `${program} run hi --model ${model}`
    const terminal = { env: { TERM: "xterm-256color" } }
    const coloured = await place.onTerminal(command, terminal).ended
    expect(coloured.stdout).toContain(colour)
    const plain = await place.onTerminal(command, { env: { ...terminal.env, NO_COLOR: "1" } }).ended
    expect(plain.stdout).toContain("Hello.")
    expect(plain.stdout).not.toContain(colour)
  })
})
