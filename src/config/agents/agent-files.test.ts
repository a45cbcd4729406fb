import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { readAgentFile } from "./agent-file.ts"
import { AgentFiles } from "./agent-files.ts"
import { withBasedAgents } from "./profiles.ts"

let root: string
let isTrusted: boolean
let files: AgentFiles

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "agents-")))
  isTrusted = true
  files = new AgentFiles([
    { folder: join(root, "project"), isOpen: () => Promise.resolve(isTrusted), isOwn: false },
    { folder: join(root, "own"), isOpen: () => Promise.resolve(true), isOwn: true },
  ])
})
afterEach(() => rmSync(root, { recursive: true }))

function write(path: string, text: string | Uint8Array): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

const reviewer = `---
name: reviewer
description: Use this agent when: code was written
tools: Read, Grep, Glob, Bash
model: sonnet
color: red
---

You review code.
`

describe("an agent file", () => {
  it("of Claude Code is read as it is", async () => {
    expect(await readAgentFile("x", reviewer)).toEqual({
      kind: "agent",
      agent: {
        name: "reviewer",
        description: "Use this agent when: code was written",
        instructions: "You review code.",
        tools: ["read", "grep", "find", "bash"],
      },
    })
  })

  it.each([
    ["tools:\n  - Read\n  - edit", ["read", "edit"]],
    ["tools: [Read, 'Write']", ["read", "write"]],
    ["tools: '*'", undefined],
    ["tools:", undefined],
  ])("may list its tools as %j", async (line, tools) => {
    expect(await readAgentFile("x", `---\n${line}\n---\nGo.`)).toMatchObject({ agent: { name: "x" } })
    const read = await readAgentFile("x", `---\n${line}\n---\nGo.`)
    expect(read.kind === "agent" && read.agent.tools).toEqual(tools)
  })

  it("may set a model, a thinking level and a preset", async () => {
    const text = "---\nmodel: openai/gpt-5\nthinking: high\npreset: trusting\n---\nGo."
    expect(await readAgentFile("x", text)).toMatchObject({
      agent: { model: "openai/gpt-5", thinking: "high", preset: "trusting" },
    })
  })

  it.each([
    ["documents: handbook, 'shop'", ["handbook", "shop"]],
    ["documents: []", []],
    ["color: red", undefined],
  ])("may name its document sets as %j", async (line, documents) => {
    const read = await readAgentFile("x", `---\n${line}\n---\nGo.`)
    expect(read.kind === "agent" && read.agent.documents).toEqual(documents)
  })

  it.each([
    ["---\nname: a b\n---\nx", "invalid name 'a b'"],
    ["---\nthinking: much\n---\nx", "'thinking' is not one of"],
    ["---\npreset: service\n---\nx", "'preset' is neither careful nor trusting"],
    ["---\nname: a\n---\n", "no text after the front matter"],
  ])("%j is refused with a reason", async (text, why) => {
    expect(await readAgentFile("stem", text)).toMatchObject({ kind: "unfit", why: expect.stringContaining(why) })
  })
})

describe("agents of a session", () => {
  it("come from the first open folder that has them", async () => {
    write("project/a.md", "Of the project.")
    write("own/a.md", "Mine.")
    write("own/b.md", "Also mine.")
    const texts = async () => (await files.list()).map(({ name, instructions }) => `${name}: ${instructions}`)
    expect(await texts()).toEqual(["a: Of the project.", "b: Also mine."])
    isTrusted = false
    expect(await texts()).toEqual(["a: Mine.", "b: Also mine."])
    expect(await files.find("c")).toBeUndefined()
  })

  it("cannot be trusting where they belong to a project", async () => {
    write("project/a.md", "---\npreset: trusting\n---\nx")
    write("own/b.md", "---\npreset: trusting\n---\nx")
    expect((await files.list()).map(({ name }) => name)).toEqual(["b"])
    expect(await files.read()).toMatchObject([{ kind: "unfit", name: "a" }, { kind: "agent" }])
  })

  it("leave out files that cannot be read, with the reason", async () => {
    write("own/large.md", "x".repeat(70_000))
    write("own/binary.md", Uint8Array.of(0xff, 0xfe))
    mkdirSync(join(root, "own/folder.md"))
    expect((await files.read()).map((read) => (read.kind === "unfit" ? read.why.replace(`${root}/`, "") : ""))).toEqual(
      [
        "own/binary.md: it is not text",
        "own/folder.md: it is not a file",
        "own/large.md: it has more than 65536 bytes",
      ],
    )
  })
})

describe("an agent of the configuration", () => {
  it("has what a named agent has, unless it is set", async () => {
    write("own/shop.md", "---\nmodel: a/b\nthinking: low\ntools: Read\n---\nSell.")
    const { agents } = await withBasedAgents({ agents: { door: { from: "shop", thinking: "high" }, other: {} } }, files)
    expect(agents).toEqual({
      door: { instructions: "Sell.", model: "a/b", thinking: "high", tools: ["read"] },
      other: {},
    })
  })

  it("is refused if there is no such agent", async () => {
    write("own/shop.md", "Sell.")
    await expect(withBasedAgents({ agents: { door: { from: "shp" } } }, files)).rejects.toThrow(
      "agents.door.from: there is no agent named 'shp'. Did you mean 'shop'?",
    )
  })
})
