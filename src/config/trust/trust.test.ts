import { execFile, execFileSync } from "node:child_process"
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { ConfigFault } from "../faults.ts"
import { changeTrustBook } from "./trust-book.ts"
import { distrustFolder, sentenceOnTrust, trustedFolders, trustFolder, trustOf } from "./trust.ts"

let root: string
let home: string
let dir: string

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "turnhouse-trust-")))
  home = join(root, "home")
  dir = join(root, "project")
  mkdirSync(home)
  mkdirSync(dir)
})
afterEach(() => {
  rmSync(root, { recursive: true, force: true })
})

function write(path: string, content = "{}"): string {
  const file = join(dir, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
  return file
}

async function stateOf(folder = dir): Promise<string> {
  return (await trustOf(home, folder)).state
}

describe("a folder", () => {
  it("with none of the project files has nothing to trust", async () => {
    write("README.md")
    expect(await stateOf()).toBe("nothing")
    expect((await trustFolder(home, dir)).state).toBe("nothing")
    expect((await trustedFolders(home)).folders).toEqual([])
  })

  it("is untrusted until it is trusted, and again after it is distrusted", async () => {
    write("turnhouse.json")
    expect(await stateOf()).toBe("untrusted")
    expect((await trustFolder(home, dir)).state).toBe("trusted")
    expect(await stateOf()).toBe("trusted")
    expect((await trustedFolders(home)).folders.map(({ folder }) => folder)).toEqual([dir])
    expect(await distrustFolder(home, dir)).toBe(true)
    expect(await distrustFolder(home, dir)).toBe(false)
    expect(await stateOf()).toBe("untrusted")
  })

  it.each([
    "turnhouse.json",
    ".mcp.json",
    ".turnhouse/a/b",
    ".brainwires/commands/c.md",
    ".synaps/plugins/p/plugin.json",
    ".claude/agents/x.md",
  ])("has changed when %s is written, added or removed", async (path) => {
    write("turnhouse.json")
    write(path, "one")
    await trustFolder(home, dir)
    write(path, "two")
    expect(await stateOf()).toBe("changed")
    write(path, "one")
    expect(await stateOf()).toBe("trusted")
    rmSync(join(dir, path))
    write(".mcp.json.bak")
    expect(await stateOf()).not.toBe("trusted")
    write(path, "one")
    write(".turnhouse/new")
    expect(await stateOf()).toBe("changed")
  })

  it("is not changed by other files", async () => {
    write("turnhouse.json")
    await trustFolder(home, dir)
    write("src/main.ts")
    write(".claude/other.md")
    expect(await stateOf()).toBe("trusted")
  })

  it("is identified by its real path, through any link", async () => {
    write("turnhouse.json")
    symlinkSync(dir, join(root, "link"))
    await trustFolder(home, join(root, "link"))
    expect(await stateOf()).toBe("trusted")
  })

  it("has changed when the target of a link does; a circle of links ends", async () => {
    write("turnhouse.json")
    writeFileSync(join(root, "outside"), "one")
    mkdirSync(join(dir, ".turnhouse"))
    symlinkSync(join(root, "outside"), join(dir, ".turnhouse/link"))
    symlinkSync(dir, join(dir, ".turnhouse/circle"))
    for (let at = 0; at < 100; at++) write(`.turnhouse/${at}`)
    symlinkSync(join(root, "nowhere"), join(dir, ".turnhouse/dangling"))
    await trustFolder(home, dir)
    expect(await stateOf()).toBe("trusted")
    writeFileSync(join(root, "outside"), "two")
    expect(await stateOf()).toBe("changed")
  })

  it("has changed when one byte of a large file has, even with the same size and time", async () => {
    const file = write(".turnhouse/large.bin", "a".repeat(2 * 1024 * 1024))
    utimesSync(file, 1, 1)
    await trustFolder(home, dir)
    expect(await stateOf()).toBe("trusted")
    write(".turnhouse/large.bin", `${"a".repeat(2 * 1024 * 1024 - 1)}b`)
    utimesSync(file, 1, 1)
    expect(await stateOf()).toBe("changed")
  })

  it("has changed when a file of an extension changes that its turnhouse.json names, wherever that lies", async () => {
    mkdirSync(join(root, "elsewhere/.synaps-plugin"), { recursive: true })
    writeFileSync(join(root, "elsewhere/main.py"), "one")
    write("plugins/policy/main.py", "one")
    write("turnhouse.json", `{ "extensions": { "paths": ["./plugins", "../elsewhere", "./later"] } } // more to come`)
    await trustFolder(home, dir)
    expect(await stateOf()).toBe("trusted")
    write("plugins/policy/main.py", "two")
    expect(await stateOf()).toBe("changed")
    write("plugins/policy/main.py", "one")
    writeFileSync(join(root, "elsewhere/main.py"), "two")
    expect(await stateOf()).toBe("changed")
    writeFileSync(join(root, "elsewhere/main.py"), "one")
    expect(await stateOf()).toBe("trusted")
    write("later/evil/main.py")
    expect(await stateOf()).toBe("changed")
  })

  it("has changed when a program changes that its turnhouse.json or .mcp.json has run", async () => {
    const define = { lookup: { description: "", input: {}, class: "read", run: ["node", "tools/lookup.mjs", "--all"] } }
    const format = { "*.txt": ["sh", "./format.sh"] }
    const languageServers = { txt: { command: ["node", "./server.mjs"], files: ["*.txt"] } }
    write("turnhouse.json", JSON.stringify({ tools: { define, format, languageServers } }))
    write(".mcp.json", JSON.stringify({ mcpServers: { shop: { command: "node", args: ["shop.mjs"] } } }))
    for (const program of ["tools/lookup.mjs", "format.sh", "server.mjs", "shop.mjs"]) {
      write(program, "one")
      await trustFolder(home, dir)
      expect(await stateOf()).toBe("trusted")
      write(program, "two")
      expect(await stateOf()).toBe("changed")
    }
    await trustFolder(home, dir)
    write("README.md")
    mkdirSync(join(dir, ".git"))
    write(".git/index")
    expect(await stateOf()).toBe("trusted")
  })

  it("does not count the home folder as its own", async () => {
    const inside = join(dir, ".turnhouse")
    mkdirSync(inside)
    expect((await trustOf(inside, dir)).state).toBe("nothing")
    write("turnhouse.json")
    await trustFolder(inside, dir)
    writeFileSync(join(inside, "turnhouse.db"), "grows")
    expect((await trustOf(inside, dir)).state).toBe("trusted")
  })

  it("cannot be trusted with too many files, or with something that is not a file", async () => {
    write("turnhouse.json")
    await trustFolder(home, dir)
    execFileSync("mkfifo", [join(dir, ".mcp.json")])
    await expect(trustFolder(home, dir)).rejects.toThrow(/\.mcp\.json is neither a file nor a folder/)
    expect(await stateOf()).toBe("changed")
    rmSync(join(dir, ".mcp.json"))
    write(".turnhouse/one")
    execFileSync("sh", ["-c", "seq 10000 | xargs touch"], { cwd: join(dir, ".turnhouse") })
    await expect(trustFolder(home, dir)).rejects.toThrow(/more than 10000 project files/)
    expect(await stateOf()).toBe("changed")
  })

  it("cannot be trusted when its files are too large to be read whole", async () => {
    truncateSync(write(".turnhouse/large.bin"), 300 * 1024 * 1024)
    await expect(trustFolder(home, dir)).rejects.toThrow(/more than 256 MiB/)
  })

  it("that does not exist is reported in one line", async () => {
    await expect(trustOf(home, join(root, "none"))).rejects.toThrow(ConfigFault)
  })

  it("can be distrusted after it was deleted", async () => {
    write("turnhouse.json")
    await trustFolder(home, dir)
    rmSync(dir, { recursive: true })
    expect(await distrustFolder(home, dir)).toBe(true)
  })
})

describe("the trust book", () => {
  it("is written for the owner alone under any umask and leaves nothing else behind", async () => {
    write("turnhouse.json")
    const before = process.umask(0o777)
    try {
      await trustFolder(home, dir)
    } finally {
      process.umask(before)
    }
    expect(statSync(join(home, "trust.json")).mode & 0o777).toBe(0o600)
    expect(readdirSync(home)).toEqual(["trust.json"])
  })

  it.each(["", "{", "[]", '{"version":2,"folders":{}}', '{"version":1,"folders":{"/a":{"digest":1}}}'])(
    "that is broken (%j) is no trust, says so, and is not overwritten",
    async (content) => {
      write("turnhouse.json")
      writeFileSync(join(home, "trust.json"), content, { mode: 0o600 })
      const trust = await trustOf(home, dir)
      expect(trust.state).toBe("untrusted")
      expect(trust.warnings).toEqual([expect.stringContaining("no folder is trusted")])
      await expect(trustFolder(home, dir)).rejects.toThrow(ConfigFault)
      expect(readdirSync(home)).toEqual(["trust.json"])
    },
  )

  it("is ignored if other users may write to it", async () => {
    write("turnhouse.json")
    await trustFolder(home, dir)
    chmodSync(join(home, "trust.json"), 0o666)
    expect(await trustOf(home, dir)).toMatchObject({
      state: "untrusted",
      warnings: [expect.stringContaining("others may write to it")],
    })
  })

  it("is not changed while another process holds its lock", async () => {
    writeFileSync(join(home, "trust.json.lock"), "")
    const changing = changeTrustBook(home, (folders) => folders.clear(), 2)
    await expect(changing).rejects.toThrow(/trust\.json\.lock is held by another process/)
    expect(readdirSync(home)).toEqual(["trust.json.lock"])
  })

  it("loses no change of processes that write at once", async () => {
    const folders = Array.from({ length: 4 }, (_, at) => join(dir, `p${at}`))
    for (const [at] of folders.entries()) write(`p${at}/turnhouse.json`)
    write("turnhouse.json")
    await trustFolder(home, dir)
    const program = `
      import { distrustFolder, trustFolder } from ${JSON.stringify(new URL("./trust.ts", import.meta.url).href)}
      const [home, folder, gone] = process.argv.slice(1)
      for (let i = 0; i < 5; i++) await trustFolder(home, folder)
      await distrustFolder(home, gone)
    `
    await Promise.all(
      folders.map((folder) =>
        promisify(execFile)(process.execPath, ["--input-type=module", "-e", program, home, folder, dir]),
      ),
    )
    const left = (await trustedFolders(home)).folders.map(({ folder }) => folder)
    expect(left.toSorted()).toEqual(folders)
    expect(readdirSync(home)).toEqual(["trust.json"])
  })
})

describe("the sentence about trust", () => {
  it("names the files that are not read and what to do, and is absent if there are none", async () => {
    write("turnhouse.json")
    write(".mcp.json")
    expect(sentenceOnTrust(await trustOf(home, dir))).toEqual([
      `${dir}: turnhouse.json, .mcp.json not read: the folder is not trusted. Review them, then run 'turnhouse trust ${dir}'.`,
    ])
    await trustFolder(home, dir)
    expect(sentenceOnTrust(await trustOf(home, dir))).toEqual([])
  })
})
