import { readFileSync, readlinkSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { copyTree, MAX_PLUGIN_FILES } from "./copy-tree.ts"
import { temporaryFolder, writeFiles } from "./fixtures/plugin-files.ts"
import { offeredPlugins } from "./marketplace.ts"

function offered(files: Readonly<Record<string, unknown>>) {
  const folder = temporaryFolder()
  writeFiles(folder, files)
  return offeredPlugins(folder)
}

const manifest = { name: "shop", description: "Sells." }

describe("a source of plugins", () => {
  it("is a plugin itself", () => {
    expect(offered({ ".synaps-plugin/plugin.json": manifest })).toEqual([{ ...manifest, path: "", entry: undefined }])
  })

  it("has plugins in its folders", () => {
    const found = offered({
      "b/.claude-plugin/plugin.json": {},
      "a/.synaps-plugin/plugin.json": manifest,
      "c/x.md": "",
    })
    expect(found.map(({ name, path }) => ({ name, path }))).toEqual([
      { name: "shop", path: "a" },
      { name: "b", path: "b" },
    ])
  })

  it("is a marketplace whose entries stand for missing manifests", () => {
    const plugins = [
      { name: "documents", source: "./", strict: false, skills: ["./skills/xlsx"] },
      { name: "shop", source: "shop" },
    ]
    const found = offered({
      ".claude-plugin/marketplace.json": { metadata: { pluginRoot: "./plugins" }, plugins },
      "plugins/skills/xlsx/SKILL.md": "Tables.",
      "plugins/shop/.claude-plugin/plugin.json": manifest,
    })
    expect(found).toMatchObject([
      { name: "documents", path: "plugins", entry: { name: "documents", skills: ["./skills/xlsx"] } },
      { name: "shop", path: "plugins/shop", entry: undefined },
    ])
    expect(found[0]?.entry).not.toHaveProperty("source")
  })

  it.for(["https://x.example/p.git", "git@x.example:p.git", "../out", "/etc", "gone", 7, undefined])(
    "cannot have %j as the source of a plugin",
    (source) => {
      expect(offered({ ".claude-plugin/marketplace.json": { plugins: [{ name: "p", source }] } })).toMatchObject([
        { name: "p", problem: expect.stringContaining("its source") },
      ])
    },
  )

  it.for(["", "../x", "a/b", "a\u001b[2J", "-x", ".hidden", "x".repeat(65)])("cannot name a plugin %j", (name) => {
    const files = { ".claude-plugin/marketplace.json": { plugins: [{ name, source: "./" }] } }
    expect(offered(files)).toMatchObject([{ problem: expect.stringContaining("the name") }])
  })

  it.for([{}, { plugins: 7 }, { plugins: Array.from({ length: 1001 }, () => ({})) }])("refuses the list %#", (list) => {
    expect(() => offered({ ".claude-plugin/marketplace.json": list })).toThrow("marketplace.json has")
  })
})

describe("a copy", () => {
  const signal = new AbortController().signal

  it("has links within the plugin, and neither .git nor the settings of the user", async () => {
    const folder = temporaryFolder()
    writeFiles(join(folder, "from"), { "a/x.md": "X.", ".git/config": "x", config: "k = v", "b/config": "kept" })
    symlinkSync("a/x.md", join(folder, "from/y.md"))
    await copyTree(join(folder, "from"), join(folder, "to"), signal)
    expect(readlinkSync(join(folder, "to/y.md"))).toBe("a/x.md")
    expect(readFileSync(join(folder, "to/b/config"), "utf8")).toBe("kept")
    expect(() => readFileSync(join(folder, "to/config"))).toThrow("ENOENT")
    expect(() => readFileSync(join(folder, "to/.git/config"))).toThrow("ENOENT")
  })

  it.for(["../secret", "/etc/passwd", "a/../../secret"])("refuses a link to %s", async (target) => {
    const folder = temporaryFolder()
    writeFiles(folder, { "from/a/x.md": "", secret: "s" })
    symlinkSync(target, join(folder, "from/link"))
    await expect(copyTree(join(folder, "from"), join(folder, "to"), signal)).rejects.toThrow("leads out of")
  })

  it("is bounded, and ends when it is aborted", async () => {
    const folder = temporaryFolder()
    writeFiles(
      join(folder, "from"),
      Object.fromEntries(Array.from({ length: MAX_PLUGIN_FILES + 1 }, (_, at) => [`${at}`, ""])),
    )
    await expect(copyTree(join(folder, "from"), join(folder, "to"), signal)).rejects.toThrow("more than 5000 files")
    const aborted = AbortSignal.abort(new Error("stopped"))
    await expect(copyTree(join(folder, "from"), join(folder, "again"), aborted)).rejects.toThrow("stopped")
  })
})
