import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeEach, describe, expect, it } from "vitest"
import { trustFolder } from "../../config/trust/trust.ts"
import type { Config } from "../../contract/config.ts"
import { temporaryFolder, writeFiles } from "../../plugins/fixtures/plugin-files.ts"
import { changePins, digestPlugin } from "../../plugins/pins.ts"
import { namedAgents } from "../settings/named-agents.ts"
import { sessionSkills } from "../settings/skills.ts"
import { typedCommands } from "../settings/typed-commands.ts"
import { sessionPlugins, type PluginsRequest } from "./session-plugins.ts"

let root: string
let home: string
let folder: string

beforeEach(() => {
  root = temporaryFolder()
  home = join(root, "home")
  folder = join(root, "project")
  mkdirSync(home)
  mkdirSync(folder)
})

const manifest = { ".claude-plugin/plugin.json": {} }

function put(place: string, id: string, files: Readonly<Record<string, unknown>>): void {
  writeFiles(join(place, id), { ...manifest, ...files })
}

function installed(id: string, files: Readonly<Record<string, unknown>>): void {
  put(join(home, "plugins"), id, files)
}

async function session(config: Config = {}, more: Partial<PluginsRequest> = {}) {
  const place = { home, env: { HOME: root }, config, settingsFolder: folder }
  const plugins = await sessionPlugins({ ...place, ownPlaces: [], trusted: true, ...more })
  const skills = sessionSkills({ ...place, plugins, ...more })
  const commands = typedCommands({ ...place, plugins }, skills)
  return { plugins, skills, commands, agents: namedAgents({ ...place, plugins }) }
}

describe("skills of plugins", () => {
  it("have their own name, and that of their plugin in front of it", async () => {
    installed("shop", { "skills/sell/SKILL.md": "Sell from ${CLAUDE_PLUGIN_ROOT}/list.txt." })
    const { skills } = await session()
    expect(skills.exist).toBe(true)
    expect(await skills.list()).toMatchObject([{ name: "sell", otherName: "shop:sell", source: "plugin shop" }])
    const text = `Sell from ${join(home, "plugins/shop")}/list.txt.`
    expect([await skills.read("sell"), await skills.read("shop:sell")]).toEqual([text, text])
    expect(await skills.read("other:sell")).toBeUndefined()
  })

  it("do not replace those of the user; of two plugins none gets the plain name", async () => {
    writeFiles(join(home, "skills"), { "sell/SKILL.md": "Mine." })
    installed("a", { "skills/sell/SKILL.md": "A.", "skills/buy/SKILL.md": "A buys." })
    installed("b", { "skills/buy/SKILL.md": "B buys." })
    const { skills } = await session()
    expect((await skills.list()).map(({ name }) => name)).toEqual(["a:buy", "a:sell", "b:buy", "sell"])
    expect(await skills.read("sell")).toBe("Mine.")
    expect(await skills.read("buy")).toBeUndefined()
    expect(await skills.read("b:buy")).toBe("B buys.")
  })

  it("of the user reach visitors, those of a folder do not", async () => {
    installed("shop", { "skills/sell/SKILL.md": "Sell." })
    put(join(folder, ".turnhouse/plugins"), "theirs", { "skills/steal/SKILL.md": "Steal." })
    await trustFolder(home, folder)
    const { skills } = await session({}, { settingsFolder: undefined })
    expect((await skills.list()).map(({ name }) => name)).toEqual(["sell"])
  })
})

describe("commands and agents of plugins", () => {
  it("are called by both names", async () => {
    installed("shop", { "commands/buy.md": "Buy $ARGUMENTS.", "agents/clerk.md": "You sell." })
    const { commands, agents } = await session()
    expect(await commands.list()).toMatchObject([{ name: "buy", source: "plugin shop" }])
    expect(await commands.run("buy", ["milk"])).toEqual({ kind: "prompt", text: "Buy milk." })
    expect(await commands.run("shop:buy", ["tea"])).toEqual({ kind: "prompt", text: "Buy tea." })
    expect((await agents.list()).map(({ name }) => name)).toEqual(["clerk"])
    expect(await agents.find("shop:clerk")).toMatchObject({ name: "shop:clerk", instructions: "You sell." })
  })

  it("give way to built-in commands, to own files and skills, and to commands in manifests", async () => {
    writeFiles(join(home, "skills"), { "buy/SKILL.md": "Mine." })
    installed("shop", {
      ".synaps-plugin/plugin.json": { commands: [{ name: "go", prompt: "Go." }] },
      "commands/buy.md": "Theirs.",
      "commands/help.md": "Help.",
      "commands/go.md": "Gone.",
    })
    const { commands } = await session()
    expect((await commands.list()).map(({ name }) => name)).toEqual(["shop:buy", "shop:help", "skill", "skills", "buy"])
    expect(await commands.run("buy", [])).toMatchObject({ text: expect.stringContaining("Mine.") })
    expect(await commands.run("shop:buy", [])).toMatchObject({ text: "Theirs." })
    expect(await commands.run("shop:go", [])).toEqual({ kind: "unknown" })
    expect(await commands.run("help", [])).toEqual({ kind: "unknown" })
  })

  it("cannot run without the approvals that the session asks for", async () => {
    installed("shop", { "agents/clerk.md": "---\npreset: trusting\n---\nYou sell." })
    expect(await (await session()).agents.find("clerk")).toBeUndefined()
  })
})

describe("a plugin", () => {
  it("of a folder is used while the folder is trusted", async () => {
    put(join(folder, ".synaps/plugins"), "theirs", { "skills/help-them/SKILL.md": "Help." })
    expect((await session({}, { trusted: false })).plugins.plugins).toEqual([])
    await trustFolder(home, folder)
    const { skills } = await session()
    expect(await skills.read("help-them")).toBe("Help.")
    writeFileSync(join(folder, ".synaps/plugins/theirs/skills/help-them/SKILL.md"), "Changed.")
    expect(await skills.read("help-them")).toBeUndefined()
  })

  it("that is disabled brings nothing", async () => {
    installed("shop", { "skills/sell/SKILL.md": "Sell.", "agents/clerk.md": "You sell." })
    const { skills, agents } = await session({ extensions: { disabled: ["shop"] } })
    expect([await skills.list(), await agents.list()]).toEqual([[], []])
  })

  it("whose files differ from its pin is not used, and says so", async () => {
    installed("shop", { "skills/sell/SKILL.md": "Sell." })
    const shop = join(home, "plugins/shop")
    const found = await digestPlugin(shop, ["state"])
    if (found.kind !== "digest") throw new Error(found.why)
    const pin = { source: "/src", path: "", digest: found.digest, writes: ["state"], at: "2026-11-18" }
    await changePins(home, (pins) => pins.set("shop", pin))
    writeFiles(shop, { config: "token = x", "state/seen": "1" })
    const { skills, plugins } = await session()
    expect(plugins.warnings).toEqual([])
    expect(await skills.read("sell")).toBe("Sell.")
    writeFiles(shop, { "skills/sell/SKILL.md": "Give away." })
    expect(await skills.read("sell")).toBeUndefined()
    const { plugins: later } = await session()
    expect(later).toMatchObject({ plugins: [], warnings: [expect.stringContaining("turnhouse plugin update shop")] })
  })

  it("in the home is not used while the list of pins is damaged", async () => {
    installed("shop", { "skills/sell/SKILL.md": "Sell." })
    writeFileSync(join(home, "plugins.json"), "{", { mode: 0o600 })
    expect((await session()).plugins).toMatchObject({
      plugins: [],
      warnings: [expect.stringContaining("plugins.json")],
    })
  })

  it("reports parts that it cannot use", async () => {
    installed("shop", { ".claude-plugin/plugin.json": { agents: "../../other" } })
    expect((await session()).plugins.warnings).toEqual([expect.stringContaining("plugin shop: agents: ")])
  })
})
