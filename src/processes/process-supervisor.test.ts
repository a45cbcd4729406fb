import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { cleanUp, freshMark, isRunning, markedPids } from "./fixtures/marked.ts"
import { runningProcesses } from "./process-table.ts"
import { ProcessSupervisor } from "./process-supervisor.ts"

const soon = { timeout: 20_000, interval: 50 }

describe("ProcessSupervisor", () => {
  let mark = ""
  let supervisor = new ProcessSupervisor("unused")
  beforeEach(() => {
    mark = freshMark()
    supervisor = new ProcessSupervisor(mark)
  })
  afterEach(async () => {
    await supervisor.close()
    await cleanUp(mark)
  })

  async function start(script: string, owner = "session") {
    const env = { PATH: process.env["PATH"] ?? "" }
    const gated = await supervisor.spawn({ command: "sh", args: ["-c", `echo ready; ${script}`], cwd: "/", env, owner })
    gated.go()
    await once(gated.stdout, "data")
    return gated
  }

  it("has no reaper before it has a process", () => {
    expect(supervisor.reaperPid).toBeUndefined()
  })

  it("ends its processes and its reaper when it closes", async () => {
    await start("sleep 300")
    const reaper = supervisor.reaperPid ?? 0
    expect(await isRunning(reaper)).toBe(true)
    await supervisor.close()
    expect(await isRunning(reaper)).toBe(false)
    expect(await markedPids(mark)).toEqual([])
    await expect(start("true")).rejects.toThrow("closing")
  })

  it("ends all processes of one owner, also those that outlived their command, and nothing else", async () => {
    await start("sleep 300 & setsid sleep 300 & wait", "mine")
    const outlived = await start("sleep 300 &", "mine")
    await outlived.exited
    const other = await start("sleep 300", "other")
    expect(await supervisor.endOwned("mine")).toBe(true)
    expect(await markedPids(`${mark}:mine`)).toEqual([])
    expect(await markedPids(mark)).toContain(other.process.pid)
  })

  it("replaces a reaper that was killed", async () => {
    await start("sleep 300")
    const first = supervisor.reaperPid ?? 0
    process.kill(first, "SIGKILL")
    await expect.poll(() => supervisor.reaperPid, soon).not.toBe(first)
    expect(await isRunning(supervisor.reaperPid ?? 0)).toBe(true)
  })
})

describe("a host that is killed with -9", () => {
  const script = fileURLToPath(new URL("./fixtures/host.ts", import.meta.url))
  let mark = ""
  let folder = ""
  beforeEach(() => {
    mark = freshMark()
    folder = mkdtempSync(join(tmpdir(), "host-"))
  })
  afterEach(async () => {
    await cleanUp(mark)
    rmSync(folder, { recursive: true })
  })

  it("leaves no process behind, and gated processes have had no effect", async () => {
    const forbidden = join(folder, "done")
    const host = spawn(process.execPath, [script, mark, forbidden], { stdio: ["ignore", "pipe", "inherit"] })
    const [line]: unknown[] = await once(createInterface(host.stdout), "line")
    const { reaper, groups } = JSON.parse(String(line)) satisfies { reaper: number; groups: number[] }
    for (const harmless of ["SIGHUP", "SIGINT", "SIGTERM"] as const) process.kill(reaper, harmless)
    expect((await markedPids(mark)).length).toBeGreaterThan(5)
    host.kill("SIGKILL")
    await once(host, "exit")
    await expect.poll(() => markedPids(mark), soon).toEqual([])
    const members = async () => (await runningProcesses()).filter((one) => groups.includes(one.group))
    await expect.poll(members, soon).toEqual([])
    await expect.poll(() => isRunning(reaper), soon).toBe(false)
    expect(existsSync(forbidden)).toBe(false)
  })
})
