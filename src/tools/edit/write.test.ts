import { chmodSync, readdirSync, readlinkSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { FileChange } from "../../contract/values.ts"
import { workbenches } from "../fixtures/workbench.ts"

const known = (change: FileChange) => ({ kind: "changes", changes: [change] })

describe("write", () => {
  const openBench = workbenches()

  it("creates a file and its missing folders", async () => {
    const bench = openBench()
    expect(await bench.call("write", { path: "a/b/c.txt", content: "héllo\n" })).toEqual({
      outcome: "done",
      output: "Created a/b/c.txt (7 bytes).",
      details: { path: "a/b/c.txt", created: true, bytes: 7 },
    })
    expect(bench.text("a/b/c.txt")).toBe("héllo\n")
    expect(readdirSync(join(bench.cwd, "a/b"))).toEqual(["c.txt"])
  })

  it("replaces a file only after the session has read it", async () => {
    const bench = openBench()
    bench.put("a.txt", "one\ntwo\nthree\n")
    expect(await bench.call("write", { path: "a.txt", content: "x" })).toEqual({
      outcome: "failed",
      output: "a.txt exists and was not read in this session; nothing was done. Read it first.",
    })
    await bench.call("read", { path: "a.txt" })
    const result = await bench.call("write", { path: "a.txt", content: "one\n2\nthree\n" })
    expect(result.output).toBe("Replaced a.txt (12 bytes).\n@@ line 2 @@\n one\n-two\n+2\n three")
    expect((await bench.call("write", { path: "a.txt", content: "again" })).outcome).toBe("done")
    bench.forget()
    expect((await bench.call("write", { path: "a.txt", content: "y" })).outcome).toBe("failed")
    expect(bench.text("a.txt")).toBe("again")
  })

  it("says what it would change before it runs, where it would not fail", async () => {
    const bench = openBench()
    const changes = (path: string, content: string) => bench.tool("write").changes?.({ path, content }, bench.context())
    bench.put("a.txt", "one\ntwo\nthree\n")
    expect(await changes("a.txt", "x")).toEqual({ kind: "no", reason: expect.stringContaining("Read it first.") })
    await bench.call("read", { path: "a.txt" })
    expect(await changes("a.txt", "one\n2\nthree\n")).toEqual(
      known({
        path: "a.txt",
        added: 1,
        removed: 1,
        lines: [
          { sign: " ", at: 1, text: "one" },
          { sign: "-", at: 2, text: "two" },
          { sign: "+", at: 2, text: "2" },
          { sign: " ", at: 3, text: "three" },
        ],
      }),
    )
    expect(await changes("none/b.txt", "1\n2\n")).toEqual(
      known({ path: "none/b.txt", added: 2, removed: 0, lines: [], isNew: true }),
    )
    expect(await changes(`${bench.forbidden}/c.txt`, "1")).toEqual({ kind: "unknown" })
    const outside = bench.put("../outside.txt", "1")
    expect(await changes(outside, "2")).toEqual({ kind: "unknown" })
    bench.put("long.txt", "x".repeat(1024 * 1024))
    await bench.call("read", { path: "long.txt" })
    expect(await changes("long.txt", "1")).toEqual({ kind: "unknown" })
    expect(bench.text("a.txt")).toBe("one\ntwo\nthree\n")
  })

  it("does not overwrite a change by another program, even with equal size and times", async () => {
    const bench = openBench()
    const file = bench.put("a.txt", "theirs")
    const { atime, mtime } = statSync(file)
    await bench.call("read", { path: "a.txt" })
    writeFileSync(file, "THEIRS")
    utimesSync(file, atime, mtime)
    const result = await bench.call("write", { path: "a.txt", content: "ours" })
    expect(result.output).toBe(
      "a.txt was changed by another program since it was read; nothing was done. Read it again first.",
    )
    expect(bench.text("a.txt")).toBe("THEIRS")
  })

  it("accepts a file that was only touched", async () => {
    const bench = openBench()
    const file = bench.put("a.txt", "same")
    await bench.call("read", { path: "a.txt" })
    utimesSync(file, 1, 1)
    expect((await bench.call("write", { path: "a.txt", content: "new" })).outcome).toBe("done")
  })

  it("keeps the mode of a file and links to it", async () => {
    const bench = openBench()
    const file = bench.put("run.sh", "old")
    chmodSync(file, 0o750)
    symlinkSync("run.sh", join(bench.cwd, "link"))
    await bench.call("read", { path: "link" })
    expect((await bench.call("write", { path: "link", content: "new" })).outcome).toBe("done")
    expect(readlinkSync(join(bench.cwd, "link"))).toBe("run.sh")
    expect(bench.text("run.sh")).toBe("new")
    expect(statSync(file).mode & 0o7777).toBe(0o750)
  })

  it("replaces the file atomically", async () => {
    const bench = openBench()
    const file = bench.put("a.txt", "old")
    await bench.call("read", { path: "a.txt" })
    const before = statSync(file).ino
    await bench.call("write", { path: "a.txt", content: "new" })
    expect(statSync(file).ino).not.toBe(before)
    expect(readdirSync(bench.cwd)).toEqual(["a.txt"])
  })

  it("reports why a path cannot be written", async () => {
    const bench = openBench()
    bench.put("file", "")
    bench.put("folder/x", "")
    expect((await bench.call("write", { path: "folder", content: "" })).output).toMatch(/^folder is a folder/)
    expect((await bench.call("write", { path: "file/below", content: "" })).output).toBe(
      "file/below cannot be written: a part of the path is not a folder.",
    )
    expect((await bench.call("write", { path: "/proc/nothing/new", content: "" })).output).toBe(
      "/proc/nothing/new cannot be written: its folder cannot be made.",
    )
  })
})
