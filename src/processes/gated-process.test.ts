import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { cleanUp, freshMark } from "./fixtures/marked.ts"
import { spawnGated, type GatedRequest } from "./gated-process.ts"
import { startTimeOf } from "./process-table.ts"

describe("a gated process", () => {
  let folder = ""
  let mark = ""
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "gated-"))
    mark = freshMark()
  })
  afterEach(async () => {
    await cleanUp(mark)
    rmSync(folder, { recursive: true })
  })

  function shell(script: string, more: Partial<GatedRequest> = {}) {
    const env = { PATH: process.env["PATH"] ?? "" }
    return spawnGated({ command: "sh", args: ["-c", script], cwd: folder, env, mark, ...more })
  }

  async function outputOf(script: string, more: Partial<GatedRequest> = {}): Promise<string> {
    const gated = await shell(script, more)
    gated.go()
    return text(gated.stdout)
  }

  it("has no effect before `go`, and its pid is known by then", async () => {
    const gated = await shell("touch done; exit 3")
    expect(gated.process).toEqual({
      pid: gated.process.pid,
      group: gated.process.pid,
      startTime: await startTimeOf(gated.process.pid),
      mark: gated.process.mark,
    })
    expect(existsSync(join(folder, "done"))).toBe(false)
    gated.go()
    expect(await gated.exited).toEqual({ code: 3, signal: null })
    expect(existsSync(join(folder, "done"))).toBe(true)
  })

  it("has no effect when it is abandoned", async () => {
    const gated = await shell("touch done")
    gated.abandon()
    expect(await gated.exited).toEqual({ code: 125, signal: null })
    expect(existsSync(join(folder, "done"))).toBe(false)
    expect(() => gated.go()).toThrow("abandoned")
  })

  it("cannot be abandoned after `go`", async () => {
    const gated = await shell("touch done")
    gated.go()
    gated.abandon()
    expect(await gated.exited).toEqual({ code: 0, signal: null })
    expect(existsSync(join(folder, "done"))).toBe(true)
  })

  it("does not pass the gate to the command", async () => {
    expect(await outputOf("if { true >&3; } 2>/dev/null; then echo open; else echo closed; fi")).toBe("closed\n")
  })

  it("has no stdin by default", async () => {
    expect(await outputOf("cat; echo end")).toBe("end\n")
    expect(await outputOf("cat; echo end", { stdin: { text: "given\n" } })).toBe("given\nend\n")
  })

  it("reads what is written to its pipe", async () => {
    const gated = await shell("read -r line; echo heard $line", { stdin: "pipe" })
    gated.go()
    gated.stdin?.write("this\n")
    expect(await text(gated.stdout)).toBe("heard this\n")
  })

  it("has the given environment and its mark, and no other variable of the host", async () => {
    const seen = await outputOf("env", { env: { PATH: process.env["PATH"] ?? "", COLOUR: "green" } })
    const names = seen
      .trim()
      .split("\n")
      .map((line) => line.split("=")[0] ?? "")
    const ofTheShell = new Set(["_", "PWD", "OLDPWD", "SHLVL"])
    expect(seen).toContain(`TURNHOUSE_MARK=${mark}\n`)
    expect(new Set(names.filter((name) => !ofTheShell.has(name)))).toEqual(
      new Set(["COLOUR", "PATH", "TURNHOUSE_MARK"]),
    )
  })

  it("reports a missing command", async () => {
    const gated = await shell("", { command: "no-such-command", args: [] })
    gated.go()
    expect(await text(gated.stderr)).toContain("not found")
    expect(await gated.exited).toEqual({ code: 127, signal: null })
  })

  it("is not started in a missing folder", async () => {
    await expect(shell("true", { cwd: join(folder, "missing") })).rejects.toThrow("ENOENT")
  })
})
