import { once } from "node:events"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { cleanUp, freshMark, isRunning, markedPids } from "./fixtures/marked.ts"
import { spawnGated } from "./gated-process.ts"
import { carriesMark } from "./mark.ts"
import { sweep } from "./sweep.ts"

describe("a sweep", () => {
  let mark = ""
  beforeEach(() => (mark = freshMark()))
  afterEach(() => cleanUp(mark))

  async function start(script: string) {
    const env = { PATH: process.env["PATH"] ?? "" }
    const gated = await spawnGated({
      command: "sh",
      args: ["-c", `echo ready; ${script}`],
      cwd: "/",
      env,
      mark: `${mark}:session:1`,
    })
    gated.go()
    await once(gated.stdout, "data")
    return gated
  }

  it("kills running processes and distinguishes them from those already gone", async () => {
    const running = await start("sleep 300")
    const gone = await start("true")
    await gone.exited
    const swept = await sweep([running.process, gone.process], [])
    expect(swept.map((one) => one.evidence)).toEqual([
      `Process ${running.process.pid} was still running, killed.`,
      `Process ${gone.process.pid} was gone already.`,
    ])
    expect(await isRunning(running.process.pid)).toBe(false)
  })

  it("does not touch a process with the same pid and another start time", async () => {
    const stranger = await start("sleep 300")
    const stored = { ...stranger.process, startTime: "1" }
    const [swept] = await sweep([stored], [])
    expect(swept?.outcome).toBe("was gone already")
    expect(await isRunning(stranger.process.pid)).toBe(true)
  })

  it("does not touch a process of this machine whose pid was stored on another one", async () => {
    const stranger = await start("sleep 300")
    const [swept] = await sweep([{ ...stranger.process, boot: "another machine" }], [], "this machine")
    expect(swept?.evidence).toContain("ran on another machine")
    expect(await isRunning(stranger.process.pid)).toBe(true)
    const [own] = await sweep([{ ...stranger.process, boot: "this machine" }], [], "this machine")
    expect(own?.outcome).toBe("was still running, killed")
  })

  it("kills marked members of a group without its leader, and marked processes that left it", async () => {
    const leader = await start("sleep 300 & setsid sleep 300 &")
    await leader.exited
    const [swept] = await sweep([leader.process], [`${mark}:session`])
    expect(swept?.outcome).toBe("was still running, killed")
    expect(await markedPids(mark)).toEqual([])
  })
})

describe("a mark", () => {
  it("matches itself and every prefix of its path", () => {
    const environment = "PATH=/bin\0TURNHOUSE_MARK=host:session:1\0"
    expect(carriesMark(environment, ["host"])).toBe(true)
    expect(carriesMark(environment, ["other", "host:session:1"])).toBe(true)
    expect(carriesMark(environment, ["hos", "host:session:11", "host:session:1:2"])).toBe(false)
    expect(carriesMark("X=TURNHOUSE_MARK=host\0", ["host"])).toBe(false)
  })
})
