import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { trustFolder } from "../../config/trust/trust.ts"
import { sessionSkills } from "./skills.ts"
import { typedCommands } from "./typed-commands.ts"

let root: string
let home: string
let cwd: string

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "typed-")))
  home = join(root, "home")
  cwd = join(root, "project")
})

function typed() {
  const request = { home, env: { HOME: join(root, "user") }, settingsFolder: cwd }
  return typedCommands(request, sessionSkills({ ...request, config: {} }))
}

afterEach(() => rmSync(root, { recursive: true }))

function write(folder: string, name: string, text: string): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, name), text)
}

it("lists the user's commands everywhere, and those of a folder only while it is trusted", async () => {
  write(join(home, "commands"), "mine.md", "Mine")
  write(join(cwd, ".turnhouse", "commands"), "ours.md", "Ours")
  write(join(cwd, ".brainwires", "commands"), "theirs.md", "Theirs")
  const commands = typed()
  const names = async () => (await commands.list()).map(({ name, source }) => `${name} ${source}`)
  expect(await names()).toEqual(["mine user"])
  await trustFolder(home, cwd)
  expect(await names()).toEqual(["mine user", "ours folder", "theirs folder"])
  write(join(cwd, ".brainwires", "commands"), "theirs.md", "Changed")
  expect(await names()).toEqual(["mine user"])
  expect(await commands.run("ours", [])).toEqual({ kind: "unknown" })
})

it("lists no commands of a missing folder, and none with the name of a built-in command", async () => {
  write(join(home, "commands"), "status.md", "Mine")
  const commands = typed()
  expect(await commands.list()).toEqual([
    { name: "status", description: "not usable: /status is built in", source: "user" },
  ])
})
