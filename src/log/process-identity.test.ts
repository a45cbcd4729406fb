import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { Writable } from "node:stream"
import { afterEach, describe, expect, it, vi } from "vitest"
import { isAlive, startTimeOf, thisHost } from "./process-identity.ts"

const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL")
})

function start(script: string): ChildProcess {
  const child = spawn("sh", ["-c", script], { stdio: ["ignore", "pipe", "ignore"] })
  children.push(child)
  return child
}

function hostOf(pid: number) {
  return { ...thisHost("test"), pid, startTime: startTimeOf(pid) ?? "" }
}

describe("a host", () => {
  it("is alive while its process runs and dead as soon as it is gone", async () => {
    const child = start("exec sleep 60")
    const host = hostOf(child.pid ?? 0)
    expect(isAlive(host)).toBe(true)
    child.kill("SIGKILL")
    await once(child, "exit")
    expect(isAlive(host)).toBe(false)
  })

  it("is dead when another process has its pid", () => {
    expect(isAlive(thisHost("test"))).toBe(true)
    expect(isAlive({ ...thisHost("test"), startTime: "1" })).toBe(false)
  })

  it.skipIf(process.platform !== "linux")("is dead when its process is a zombie", async () => {
    // The background shell reads until its input ends; `sleep` has become its parent and never asks for its exit.
    const script = "(read line) <&3 & echo $!; exec sleep 60 3<&-"
    const child = spawn("sh", ["-c", script], { stdio: ["ignore", "pipe", "ignore", "pipe"] })
    children.push(child)
    const [output]: unknown[] = child.stdout === null ? [] : await once(child.stdout, "data")
    const pid = Number(String(output))
    const host = hostOf(pid)
    expect(isAlive(host)).toBe(true)
    const program = () => readFileSync(`/proc/${child.pid}/comm`, "utf8")
    await vi.waitFor(() => expect(program()).toBe("sleep\n"), { timeout: 20_000 }) // a shell would reap it
    const input = child.stdio[3]
    if (input instanceof Writable) input.end()
    await vi.waitFor(() => expect(readFileSync(`/proc/${pid}/stat`, "utf8")).toContain(") Z "), { timeout: 20_000 })
    expect(isAlive(host)).toBe(false)
  })

  it("of another machine or boot counts as alive: its lease decides", () => {
    expect(isAlive({ ...thisHost("test"), bootId: "elsewhere", pid: 999_999_999 })).toBe(true)
  })

  it("has a new id at every start", () => {
    expect(thisHost("run").hostId).not.toBe(thisHost("run").hostId)
    expect(thisHost("run")).toMatchObject({ role: "run", pid: process.pid })
  })
})
