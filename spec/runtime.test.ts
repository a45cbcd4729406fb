// Which Node runs the program, and which home it uses.
import { createHash } from "node:crypto"
import { chownSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, describe, expect, it } from "vitest"
import { object } from "./e2e/printed.ts"
import { Place } from "./e2e/turnhouse.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const open: Place[] = []
afterEach(async () => {
  for (const place of open.splice(0)) await place.close()
})

function newPlace(): Place {
  const place = new Place().open()
  open.push(place)
  return place
}

describe("the Node binary of npm install", () => {
  const lines = readFileSync(join(root, "bin/node.sha256"), "utf8").trim().split("\n")
  const pinned = new Map(lines.map((line) => [line.split("  ")[1], line.split("  ")[0]]))

  it("is pinned by checksum for every package that contains one", () => {
    const { optionalDependencies } = object(readFileSync(join(root, "package.json"), "utf8"))
    const packages = Object.entries(object(JSON.stringify(optionalDependencies)))
    const binaries = packages.filter(([name]) => name.startsWith("node-linux-"))
    expect(binaries).toHaveLength(2)
    expect(new Set(pinned.keys())).toEqual(
      new Set(binaries.map(([name, version]) => `${name}@${String(version)}/bin/node`)),
    )
  })

  it.runIf(process.platform === "linux")("has the pinned SHA-256", () => {
    const name = `node-linux-${process.arch}`
    const [, sum] = [...pinned].find(([binary]) => binary?.startsWith(`${name}@`)) ?? []
    const binary = readFileSync(join(root, "node_modules", name, "bin/node"))
    expect(createHash("sha256").update(binary).digest("hex")).toBe(sum)
  })
})

describe("TURNHOUSE_NODE", () => {
  it("selects the binary that Turnhouse runs on", async () => {
    const place = newPlace()
    const other = place.path("other-node")
    writeFileSync(other, `#!/bin/sh\necho chosen >&2\nexec '${process.execPath}' "$@"\n`, { mode: 0o755 })
    const env = { TURNHOUSE_NODE: other }
    const { code, stdout, stderr } = await place.start(["--version"], { env }).ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: "chosen\n" })
    expect(stdout).toMatch(/^turnhouse \d/)
    const byName = { TURNHOUSE_NODE: "other-node", PATH: `${place.folder}:/usr/bin:/bin` }
    expect((await place.start(["--version"], { env: byName }).ended).stderr).toBe("chosen\n")
  })

  it.each(["/nowhere/node", "no-such-program", "/tmp", "/etc/passwd"])("is refused as %s", async (path) => {
    const { code, stdout, stderr } = await newPlace().start(["--version"], { env: { TURNHOUSE_NODE: path } }).ended
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toBe(
      `turnhouse: TURNHOUSE_NODE: ${path} is not a program. Set it to a Node binary (24.15 or newer), or unset it.\n`,
    )
  })
})

describe("compiled code", () => {
  const shutdown = '{"type":"shutdown"}\n'
  const run = ["run", "hello", "--model", "offline/demo:0"]
  const rpc = ["rpc", "--model", "offline/demo:0"]

  it("of one command is not rejected by another that has other flags of V8, so that each loads fast", async () => {
    const place = newPlace()
    const command = (args: readonly string[], env = {}) => place.start(args, { input: shutdown, env }).ended
    for (const args of [run, rpc]) await command(args)
    for (const args of [run, rpc]) {
      const { code, stderr } = await command(args, { NODE_DEBUG_NATIVE: "COMPILE_CACHE" })
      expect({ code, rejected: /.*was rejected.*/.exec(stderr)?.[0] }).toEqual({ code: 0, rejected: undefined })
      expect(stderr).toContain("was accepted")
    }
  })
})

describe("a home that belongs to another user", () => {
  /** Another user than the one who runs the test. */
  function foreignHome(place: Place): string {
    if (process.getuid?.() !== 0) return "/" // of root
    const home = join(place.root, "foreign")
    mkdirSync(home, { mode: 0o777 })
    chownSync(home, 4711, 4711)
    return home
  }

  it.each([
    ["run", "hello", "--model", "offline/demo"],
    ["rpc"],
    ["serve", "--port", "0"],
    ["ls"],
    ["doctor"],
    ["trust", "."],
    ["host"],
  ])("is not used by %s", async (...args) => {
    const place = newPlace()
    const home = foreignHome(place)
    const { code, stdout, stderr } = await place.start(args, { env: { TURNHOUSE_HOME: home } }).ended
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toMatch(
      /^turnhouse: The home folder \/.* belongs to another user \(user id \d+, you are \d+\)\. Set .+\n$/,
    )
    expect(existsSync(join(home, "cache"))).toBe(false)
  })

  it("is refused through a symbolic link too", async () => {
    const place = newPlace()
    symlinkSync(foreignHome(place), join(place.root, "link"))
    const { code } = await place.start(["ls"], { env: { TURNHOUSE_HOME: join(place.root, "link") } }).ended
    expect(code).toBe(2)
  })
})
