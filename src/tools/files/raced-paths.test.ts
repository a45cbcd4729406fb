// A process of the session swaps a folder and a link into the forbidden folder as fast as it can. No tool may read or
// write there at any moment.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync, readdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { needPackage } from "../../../spec/need-package.ts"
import type { JsonValue } from "../../contract/values.ts"
import { swapLoop } from "../fixtures/swap-loop.ts"
import { workbenches, type Workbench } from "../fixtures/workbench.ts"

const tries = 300

beforeAll(() => {
  needPackage("perl", "perl-base")
  needPackage("bwrap", "bubblewrap")
})

async function whileSwapping(bench: Workbench, work: () => Promise<void>): Promise<void> {
  writeFileSync(join(bench.forbidden, "console.key"), "the key of the owner\n")
  writeFileSync(join(bench.forbidden, "notes.txt"), "one\n")
  bench.put("real/console.key", "a decoy\n")
  bench.put("real/notes.txt", "one\n")
  symlinkSync(bench.forbidden, join(bench.cwd, "link"))
  const [command, ...args] = swapLoop("real", "link")
  const attacker = spawn(command, args, { cwd: bench.cwd, stdio: ["ignore", "pipe", "inherit"] })
  await once(attacker.stdout, "data")
  try {
    await work()
  } finally {
    attacker.kill("SIGKILL")
    await once(attacker, "exit")
  }
}

interface Attempts {
  readonly times?: number
  /** Repeats until this was printed: on a busy machine the attacker may get no CPU time for a while. */
  readonly until?: string
}

/** All outputs of a tool in many attempts. */
async function manyTimes(
  bench: Workbench,
  tool: string,
  inputs: readonly JsonValue[],
  { times = tries, until = "" }: Attempts = {},
): Promise<string> {
  const said = new Set<string>()
  const isSaid = () => [...said].some((text) => text.includes(until))
  for (let index = 0; index < times || !isSaid(); index++) {
    for (const input of inputs) said.add((await bench.call(tool, input)).output)
  }
  return [...said].join("\n")
}

function forbiddenContent(bench: Workbench): readonly string[] {
  return readdirSync(bench.forbidden).map((name) => `${name}: ${readFileSync(join(bench.forbidden, name), "utf8")}`)
}

describe("while a folder and a link are swapped", () => {
  const openBench = workbenches({ sandboxed: true })
  const untouched = ["console.key: the key of the owner\n", "notes.txt: one\n"]

  it("read shows the file of the working folder or fails", async () => {
    const bench = openBench()
    await whileSwapping(bench, async () => {
      const said = await manyTimes(bench, "read", [{ path: "real/console.key" }], { until: "a decoy" })
      expect(said).not.toContain("owner")
    })
  })

  it("read does not suggest names of the forbidden folder", async () => {
    const bench = openBench()
    writeFileSync(join(bench.forbidden, "hosts.list"), "")
    await whileSwapping(bench, async () => {
      expect(await manyTimes(bench, "read", [{ path: "real/host.list" }])).not.toContain("hosts.list")
    })
  })

  it("write and edit change nothing in the forbidden folder", async () => {
    const bench = openBench()
    await whileSwapping(bench, async () => {
      const planted = [
        { path: "real/planted.txt", content: "planted" },
        { path: "real/deep/planted.txt", content: "planted" },
      ]
      const changes = [
        { path: "real/notes.txt", old_string: "one", new_string: "two" },
        { path: "real/notes.txt", old_string: "two", new_string: "one" },
      ]
      await manyTimes(bench, "write", planted, { until: "Created" })
      await manyTimes(bench, "edit", changes, { until: "Changed" })
      expect(forbiddenContent(bench)).toEqual(untouched)
    })
  })

  it("ls, grep and find show nothing of the forbidden folder", async () => {
    const bench = openBench()
    writeFileSync(join(bench.forbidden, "only-there.txt"), "owner\n")
    await whileSwapping(bench, async () => {
      expect(await manyTimes(bench, "ls", [{ path: "real" }])).not.toContain("only-there")
      const times = Math.ceil(tries / 20)
      const found = await manyTimes(bench, "find", [{ pattern: "*" }, { pattern: "*", path: "real" }], { times })
      expect(found).not.toContain("only-there")
      const inside = [{ pattern: "o", path: "real/console.key" }, { pattern: "o", path: "real" }, { pattern: "o" }]
      expect(await manyTimes(bench, "grep", inside, { times })).not.toContain("owner")
    })
  })
})

describe("a forbidden folder that was moved", () => {
  const openBench = workbenches()

  it("stays forbidden under its new name", async () => {
    const bench = openBench()
    const moved = join(bench.cwd, "moved")
    writeFileSync(join(bench.forbidden, "console.key"), "the key of the owner\n")
    renameSync(bench.forbidden, moved)
    const results = [
      await bench.call("read", { path: "moved/console.key" }),
      await bench.call("write", { path: "moved/new.txt", content: "x" }),
      await bench.call("ls", { path: "moved" }),
    ]
    expect(results.map(({ outcome }) => outcome)).toEqual(["failed", "failed", "failed"])
    expect(results.map(({ output }) => output).join("")).toMatch(/^(?:\S+ is not for tools\.)+$/)
    expect(existsSync(join(moved, "new.txt"))).toBe(false)
  })
})

describe("a link inside the working folder", () => {
  const openBench = workbenches()

  it("is followed by every tool", async () => {
    const bench = openBench()
    bench.put("real/notes.txt", "one\n")
    symlinkSync("real", join(bench.cwd, "link"))
    symlinkSync("real/notes.txt", join(bench.cwd, "notes"))
    expect((await bench.call("read", { path: "link/notes.txt" })).output).toContain("one")
    expect((await bench.call("edit", { path: "notes", old_string: "one", new_string: "two" })).outcome).toBe("done")
    expect((await bench.call("write", { path: "link/deep/new.txt", content: "new" })).outcome).toBe("done")
    expect(bench.text("real/notes.txt")).toBe("two\n")
    expect(bench.text("real/deep/new.txt")).toBe("new")
    expect((await bench.call("ls", { path: "link" })).output).toBe("deep/\nnotes.txt (4 bytes)")
    expect((await bench.call("grep", { pattern: "two", path: "link" })).output).toBe("real/notes.txt:1:two")
  })
})
