// The launcher of the single file, with a program of two lines instead of the real one (executable.long.test.ts).
import { execFileSync, spawn, spawnSync } from "node:child_process"
import { randomUUID } from "node:crypto"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, type TestContext } from "vitest"
import { archiveOf } from "../../scripts/executable/archive.ts"
import { makeExecutable } from "../../scripts/executable/launcher.ts"
import { eventually } from "../e2e/eventually.ts"
import { Running } from "../e2e/running.ts"

const machine = execFileSync("sh", ["-c", 'echo "$(uname -s)-$(uname -m)"'], { encoding: "utf8" }).trim()

class SingleFile {
  readonly root = join(tmpdir(), `turnhouse-launcher-${randomUUID()}`)
  readonly file = join(this.root, "single-file")
  readonly cache = join(this.root, "cache")

  constructor(test: TestContext, forMachine = machine, node = process.execPath) {
    const folder = join(this.root, "content")
    mkdirSync(join(folder, "node_modules/.bin"), { recursive: true })
    mkdirSync(join(folder, "bin"))
    symlinkSync(node, join(folder, "node_modules/.bin/node"))
    writeFileSync(join(folder, "bin/turnhouse"), '#!/bin/sh\necho "ran $*"\n', { mode: 0o755 })
    const archive = archiveOf(folder)
    const options = { release: "1.2.3", platform: "linux-x64", machine: forMachine, archive, unpackedBytes: 5e6 }
    writeFileSync(this.file, makeExecutable(options), { mode: 0o755 })
    test.onTestFinished(() => rmSync(this.root, { recursive: true, force: true, maxRetries: 5 }))
  }

  run(env: Readonly<Record<string, string>> = { TURNHOUSE_CACHE: this.cache }) {
    const { status, stdout, stderr } = spawnSync(this.file, ["a", "b c"], {
      env: { PATH: "/usr/bin:/bin", ...env },
      encoding: "utf8",
    })
    return { status, stdout, stderr }
  }

  start(): Running {
    return new Running(spawn(this.file, ["a"], { env: { PATH: "/usr/bin:/bin", TURNHOUSE_CACHE: this.cache } }))
  }

  /** The folder of the program; fails if the cache contains another entry. */
  get program(): string {
    const [only, ...more] = readdirSync(this.cache)
    if (only === undefined || more.length > 0) throw new Error(`${this.cache} has ${more.length} folders too many`)
    return join(this.cache, only)
  }
}

const ran = { status: 0, stdout: "ran a b c\n", stderr: "" }

function failure(stderr: string) {
  return { status: 1, stdout: "", stderr: `turnhouse: ${stderr}\n` }
}

describe("the single file", () => {
  it("unpacks itself at the first start only, and passes its arguments on", (test) => {
    const single = new SingleFile(test)
    expect(single.run()).toEqual(ran)
    expect(single.program).toMatch(/\/1\.2\.3-linux-x64-[0-9a-f]{12}$/)
    writeFileSync(join(single.program, "bin/turnhouse"), "#!/bin/sh\necho second\n")
    expect(single.run().stdout).toBe("second\n")
  })

  it.for([
    ["XDG_CACHE_HOME", "turnhouse"],
    ["HOME", ".cache/turnhouse"],
  ] as const)("unpacks below %s", ([name, below], test) => {
    const single = new SingleFile(test)
    expect(single.run({ [name]: single.root })).toEqual(ran)
    expect(readdirSync(join(single.root, below))).toHaveLength(1)
  })

  it("is unpacked once by several processes that start together", async (test) => {
    const single = new SingleFile(test)
    const ended = await Promise.all(Array.from({ length: 6 }, () => single.start().ended))
    expect(ended.map(({ code, stdout, stderr }) => ({ code, stdout, stderr }))).toEqual(
      ended.map(() => ({ code: 0, stdout: "ran a\n", stderr: "" })),
    )
    expect(existsSync(join(single.program, "complete"))).toBe(true)
  })

  it("notes when the unpacked files are on the disk; before that, another boot unpacks them again", async (test) => {
    const single = new SingleFile(test)
    single.run()
    const stored = join(single.program, "stored")
    await eventually("the files are on the disk", () => existsSync(stored) || undefined)
    rmSync(stored)
    writeFileSync(join(single.program, "bin/turnhouse"), "")
    writeFileSync(join(single.program, "complete"), "00000000-0000-4000-8000-000000000000\n")
    expect(single.run()).toEqual(ran)
  })

  it.for([
    ["was interrupted before it was complete", "complete"],
    ["lost its program", "bin/turnhouse"],
    ["lost its Node", "node_modules/.bin/node"],
  ] as const)("replaces a cache that %s", ([, missing], test) => {
    const single = new SingleFile(test)
    single.run()
    rmSync(join(single.program, missing))
    expect(single.run()).toEqual(ran)
    expect(existsSync(join(single.program, missing))).toBe(true)
  })

  it("says that it was cut off", (test) => {
    const single = new SingleFile(test)
    const whole = single.run().status
    rmSync(single.cache, { recursive: true })
    truncateSync(single.file, 3000)
    const { stderr, status } = single.run()
    expect([whole, status]).toEqual([0, 1])
    expect(stderr).toMatch(/^turnhouse: .* is incomplete: it has 3000 bytes instead of \d+\. Download it again\.\n$/)
  })

  it("says that it is for another machine", (test) => {
    const single = new SingleFile(test, "Plan9-mips")
    const advice = "Install the npm package instead."
    expect(single.run()).toEqual(failure(`this file is for linux-x64, and this machine is ${machine}. ${advice}`))
  })

  it("says that its cache folder cannot be used", (test) => {
    const single = new SingleFile(test)
    writeFileSync(join(single.root, "occupied"), "")
    const cache = join(single.root, "occupied/cache")
    const why = "cannot be written or belongs to another user. Set TURNHOUSE_CACHE to a folder of your own."
    expect(single.run({ TURNHOUSE_CACHE: cache })).toEqual(failure(`the cache folder ${cache} ${why}`))
  })

  it("does not run a program from a folder of another user", (test) => {
    const single = new SingleFile(test)
    single.run()
    const why = "cannot be written or belongs to another user. Set TURNHOUSE_CACHE to a folder of your own."
    const isRoot = process.getuid?.() === 0
    if (isRoot) execFileSync("chown", ["nobody", single.cache])
    const cache = isRoot ? single.cache : "/usr/share"
    expect(single.run({ TURNHOUSE_CACHE: cache })).toEqual(failure(`the cache folder ${cache} ${why}`))
  })

  it("says that it does not know where to unpack", (test) => {
    const advice = "HOME is not set. Set TURNHOUSE_CACHE to a folder of your own."
    expect(new SingleFile(test).run({})).toEqual(failure(`there is no folder to unpack the program into: ${advice}`))
  })

  it("says that its Node does not run here, and leaves nothing behind", (test) => {
    const single = new SingleFile(test, machine, "/bin/false")
    const advice = "Install the npm package with a Node of this system."
    const why = `the Node binary of this file does not run here; it needs glibc 2.28 or newer. ${advice}`
    expect(single.run()).toEqual(failure(why))
    expect(readdirSync(single.cache)).toEqual([])
  })

  it("keeps what it unpacks from other users, whatever the umask", (test) => {
    const single = new SingleFile(test)
    chmodSync(single.file, 0o755)
    spawnSync("sh", ["-c", 'umask 0; exec "$0"', single.file], {
      env: { PATH: "/usr/bin:/bin", TURNHOUSE_CACHE: single.cache },
    })
    const modes = execFileSync("stat", ["-c", "%a", single.cache], { encoding: "utf8" })
    expect(modes).toBe("700\n")
  })
})
