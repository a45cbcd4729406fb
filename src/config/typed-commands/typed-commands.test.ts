import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { FileCommands } from "./typed-commands.ts"

let root: string
let isTrusted: boolean
let commands: FileCommands

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "commands-"))
  isTrusted = true
  const own = { folder: join(root, "own"), source: "user", isOpen: () => Promise.resolve(true) }
  const folder = { folder: join(root, "folder"), source: "folder", isOpen: () => Promise.resolve(isTrusted) }
  commands = new FileCommands([own, folder], (name) => name === "help")
})

afterEach(() => rmSync(root, { recursive: true }))

function write(path: string, text: string | Uint8Array): string {
  const file = join(root, path)
  mkdirSync(join(file, ".."), { recursive: true })
  writeFileSync(file, text)
  return file
}

it("lists no commands without files", async () => {
  expect(await commands.list()).toEqual([])
  expect(await commands.run("fix", [])).toEqual({ kind: "unknown" })
})

it("lists files as commands, those of the user first", async () => {
  write("folder/fix.md", "---\ndescription: Mends\nargs: [{name: what}]\n---\nMend {{what}}")
  write("own/say.md", "Say it")
  write("own/notes.txt", "no command")
  expect(await commands.list()).toEqual([
    { name: "say", description: "", source: "user" },
    { name: "fix", description: "Mends", usage: "[what]", source: "folder" },
  ])
  expect(await commands.run("fix", ["it"])).toEqual({ kind: "prompt", text: "Mend it" })
})

it("lists no commands of a folder that is not trusted any more", async () => {
  write("folder/fix.md", "Mend")
  expect(await commands.list()).toHaveLength(1)
  isTrusted = false
  expect(await commands.list()).toEqual([])
  expect(await commands.run("fix", [])).toEqual({ kind: "unknown" })
})

it("reads a changed file again", async () => {
  const file = write("own/fix.md", "Mend")
  expect(await commands.run("fix", [])).toEqual({ kind: "prompt", text: "Mend" })
  writeFileSync(file, "Look")
  utimesSync(file, 1, 1)
  expect(await commands.run("fix", [])).toEqual({ kind: "prompt", text: "Look" })
  rmSync(file)
  expect(await commands.run("fix", [])).toEqual({ kind: "unknown" })
})

it("rejects the name of a built-in command or of an earlier file", async () => {
  write("own/help.md", "Do not help")
  write("own/fix.md", "Mine")
  write("folder/fix.md", "Theirs")
  const listed = (await commands.list()).map(({ name, description }) => [name, description])
  expect(listed).toEqual([
    ["fix", ""],
    ["help", "not usable: /help is built in"],
    ["fix", "not usable: another /fix was read before it"],
  ])
  expect(await commands.run("fix", [])).toEqual({ kind: "prompt", text: "Mine" })
  expect(await commands.run("help", [])).toEqual({ kind: "failed", why: "/help is built in" })
})

it("lists invalid files with the reason: too large, not text, a folder, unclosed front matter", async () => {
  write("own/a-large.md", "x".repeat(65_537))
  write("own/b-bytes.md", new Uint8Array([0xff, 0xfe]))
  mkdirSync(join(root, "own/c-folder.md"))
  const open = write("own/d-open.md", "---\nname: d\n")
  const listed = await commands.list()
  expect(listed.map(({ name }) => name)).toEqual(["a-large", "b-bytes", "c-folder", "d-open"])
  expect(listed.every(({ description }) => description.startsWith("not usable: "))).toBe(true)
  const problem = `${open}: line 1: front matter is not closed. Add a line '---' after it.`
  expect(await commands.run("d-open", [])).toEqual({ kind: "failed", why: problem })
})

it("reads a limited number of files, and reports that", async () => {
  for (let number = 100; number < 301; number++) write(`own/c${number}.md`, "x")
  const listed = await commands.list()
  expect(listed).toHaveLength(201)
  expect(listed.at(-1)?.description).toContain("more than 200 files")
})
