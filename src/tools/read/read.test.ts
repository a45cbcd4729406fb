import { execFileSync } from "node:child_process"
import { createServer } from "node:net"
import { closeSync, ftruncateSync, openSync, symlinkSync, writeSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { limits } from "../../contract/limits.ts"
import { workbenches } from "../fixtures/workbench.ts"

describe("read", () => {
  const openBench = workbenches()

  it("numbers lines and shows neither line endings nor a byte order mark", async () => {
    const bench = openBench()
    bench.put("a.txt", "\ufeffone\r\ntwo\n\nfour")
    const result = await bench.call("read", { path: "a.txt" })
    expect(result).toEqual({
      outcome: "done",
      output: "     1\tone\n     2\ttwo\n     3\t\n     4\tfour",
      details: { from: 1, to: 4, bytes: 17, truncated: false },
    })
  })

  it("shows the requested lines and the offset to continue at", async () => {
    const bench = openBench()
    bench.put("a.txt", "1\n2\n3\n4\n5\n")
    expect((await bench.call("read", { path: "a.txt", offset: 2, limit: 2 })).output).toBe(
      "     2\t2\n     3\t3\n[More lines follow; read on with offset 4.]",
    )
    expect((await bench.call("read", { path: "a.txt", offset: 4, limit: 2 })).output).toBe("     4\t4\n     5\t5")
  })

  it("stops after 2000 lines by default", async () => {
    const bench = openBench()
    bench.put("a.txt", "x\n".repeat(2001))
    const { output } = await bench.call("read", { path: "a.txt" })
    expect(output.split("\n")).toHaveLength(2001)
    expect(output).toMatch(/\[More lines follow; read on with offset 2001\.\]$/)
  })

  it("reports an empty file and an offset past the end", async () => {
    const bench = openBench()
    bench.put("empty", "")
    bench.put("short", "a\nb\n")
    expect((await bench.call("read", { path: "empty" })).output).toBe("empty is empty.")
    expect(await bench.call("read", { path: "short", offset: 9 })).toMatchObject({
      outcome: "failed",
      output: "short has 2 lines; line 9 is past its end.",
    })
  })

  it("cuts long lines, and stops at a whole line when the output would be too large", async () => {
    const bench = openBench()
    bench.put("long", `${"ä".repeat(3000)}\nnext\n`)
    const long = await bench.call("read", { path: "long" })
    expect(long.output).toBe(
      `     1\t${"ä".repeat(2000)} [… 1000 more characters in this line; read on with offset 1 and column 2001]\n     2\tnext`,
    )
    bench.put("wide", `${"x".repeat(1999)}\n`.repeat(1000))
    const wide = await bench.call("read", { path: "wide" })
    expect(wide.output.length).toBeLessThanOrEqual(limits.toolOutputForModel)
    expect(wide.output).toMatch(/x\n\[More lines follow; read on with offset \d\d\.\]$/)
  })

  it("shows the first lines of a huge file in bounded memory", async () => {
    const bench = openBench()
    const file = openSync(join(bench.cwd, "huge"), "w")
    writeSync(file, "first\n".padEnd(20_000, "x"))
    ftruncateSync(file, 20 * 1024 ** 3)
    closeSync(file)
    const before = process.memoryUsage().rss
    const result = await bench.call("read", { path: "huge", limit: 1 })
    expect(result.output).toBe("     1\tfirst\n[More lines follow; read on with offset 2.]")
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024)
  })

  it.for<[string, Buffer, string]>([
    [
      "picture.png",
      Buffer.from("89504e470d0a1a0a0000", "hex"),
      "picture.png cannot be shown: it is damaged or incomplete.",
    ],
    ["blob", Buffer.from("a\0b"), "blob is binary data of 3 bytes; it cannot be shown."],
    [
      "program",
      Buffer.from("caf\u00e9 \u0001\u0002", "latin1"),
      "program is binary data of 7 bytes; it cannot be shown.",
    ],
  ])("describes %s instead of showing its bytes", async ([name, bytes, sentence]) => {
    const bench = openBench()
    bench.put(name, bytes)
    expect(await bench.call("read", { path: name })).toEqual({ outcome: "failed", output: sentence })
  })

  it("lists a folder", async () => {
    const bench = openBench()
    bench.put("folder/a.txt", "text")
    const listed = await bench.call("read", { path: "folder" })
    expect(listed).toEqual({ outcome: "done", output: "a.txt (4 bytes)", details: { entries: 1 } })
  })

  it("decodes characters that are split between two chunks", async () => {
    const bench = openBench()
    bench.put("a.txt", `x${"€".repeat(60_000)}\n`)
    const { outcome, output } = await bench.call("read", { path: "a.txt" })
    expect(outcome).toBe("done")
    expect(output).not.toContain("\ufffd")
  })

  it("refuses anything but a regular file, without blocking", async () => {
    const bench = openBench()
    execFileSync("mkfifo", [join(bench.cwd, "fifo")])
    const server = createServer().listen(join(bench.cwd, "socket"))
    expect((await bench.call("read", { path: "fifo" })).output).toBe("fifo is a FIFO, not a regular file.")
    expect((await bench.call("read", { path: "socket" })).output).toBe("socket is a socket, not a regular file.")
    expect((await bench.call("read", { path: "/dev/zero" })).output).toBe("/dev/zero is a device, not a regular file.")
    await new Promise((resolve) => server.close(resolve))
  })

  it("suggests a similar name for a missing file", async () => {
    const bench = openBench()
    bench.put("src/settings.ts", "")
    expect((await bench.call("read", { path: "src/setings.ts" })).output).toBe(
      "src/setings.ts does not exist. Did you mean src/settings.ts?",
    )
    expect((await bench.call("read", { path: "scr/settings.ts" })).output).toBe(
      "scr/settings.ts does not exist. Did you mean src?",
    )
    expect((await bench.call("read", { path: "src/other.md" })).output).toBe("src/other.md does not exist.")
  })

  it("fails with a message for impossible paths", async () => {
    const bench = openBench()
    bench.put("file", "")
    symlinkSync("loop", join(bench.cwd, "loop"))
    expect((await bench.call("read", { path: "a\0b" })).output).toBe("A path cannot contain the character NUL.")
    expect((await bench.call("read", { path: "file/below" })).output).toBe(
      "file/below cannot be read: a part of the path is not a folder.",
    )
    expect((await bench.call("read", { path: "n".repeat(300) })).output).toMatch(
      /cannot be read: the name is too long\.$/,
    )
    expect((await bench.call("read", { path: "loop" })).outcome).toBe("failed")
  })

  it("does nothing when the call is cancelled before it runs", async () => {
    const bench = openBench()
    bench.put("a.txt", "text")
    const result = await bench.call("read", { path: "a.txt" }, { signal: AbortSignal.abort() })
    expect(result).toEqual({ outcome: "failed", output: "The call was cancelled." })
  })
})
