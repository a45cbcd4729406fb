import { spawn } from "node:child_process"
import { once } from "node:events"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { cleanUp, freshMark, isRunning, markedPids } from "./fixtures/marked.ts"
import { nastyTools } from "./fixtures/nasty-tools.ts"
import { spawnGated } from "./gated-process.ts"
import { isGroupAlive, killGroup } from "./kill-group.ts"
import { parseStat, readStat, runningProcesses, startedSince } from "./process-table.ts"

describe("killing a group", () => {
  let mark = ""
  beforeEach(() => (mark = freshMark()))
  afterEach(() => cleanUp(mark))

  it.concurrent.each(Object.entries(nastyTools))("leaves no process of a tool that %s", async (_, script) => {
    const own = freshMark()
    const env = { PATH: process.env["PATH"] ?? "" }
    const gated = await spawnGated({ command: "sh", args: ["-c", script], cwd: "/", env, mark: own })
    gated.go()
    await once(gated.stdout, "data")
    expect(await markedPids(own)).not.toEqual([])
    expect(await gated.kill()).toBe(true)
    expect(await markedPids(own)).toEqual([])
    expect((await runningProcesses()).filter((one) => one.group === gated.process.group)).toEqual([])
    await gated.exited
  })

  it("spares another process that reused the id of an ended group", async () => {
    const stranger = spawn("sleep", ["300"], { detached: true, stdio: "ignore" })
    const group = stranger.pid ?? 0
    try {
      expect(await isGroupAlive({ group, mark, startTime: "1" })).toBe(false)
      expect(await killGroup({ group, mark, startTime: "1" })).toBe(true)
      expect(await isRunning(group)).toBe(true)
    } finally {
      stranger.kill("SIGKILL")
      await once(stranger, "exit")
    }
  })
})

describe("the table of processes", () => {
  const rest = "1 77 77 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 THREADS 0 4711 0 0"

  it("parses a program name that looks like more fields", () => {
    const stat = `77 (a) Z 1 (b) S ${rest.replace("THREADS", "1")}`
    expect(parseStat(77, stat)).toMatchObject({
      pid: 77,
      parent: 1,
      session: 77,
      group: 77,
      startTime: "4711",
      alive: true,
    })
  })

  it.runIf(process.platform === "linux")("finds a new process without reading those that are older", async () => {
    const child = spawn("sleep", ["300"], { stdio: "ignore" })
    try {
      const startTime = readStat(child.pid ?? 0)?.startTime ?? ""
      const found = startedSince(child.pid ?? 0, startTime)
      // Undefined if the numbers began again, or if starting took a second.
      expect(found?.map(({ pid }) => pid) ?? [child.pid]).toContain(child.pid)
      expect(found?.some(({ pid }) => pid < (child.pid ?? 0)) ?? false).toBe(false)
      expect(startedSince(child.pid ?? 0, "1")).toBeUndefined()
    } finally {
      child.kill("SIGKILL")
      await once(child, "exit")
    }
  })

  it("counts a zombie as gone unless other threads of it are alive", () => {
    expect(parseStat(77, `77 (a) Z ${rest.replace("THREADS", "1")}`).alive).toBe(false)
    expect(parseStat(77, `77 (a) Z ${rest.replace("THREADS", "2")}`).alive).toBe(true)
  })
})
