import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { spawnSync } from "node:child_process"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it, onTestFinished } from "vitest"
import { isAlive, isGone, startScripted } from "./fixtures/start-scripted.ts"

describe("closing", () => {
  it("stops the child cleanly, once", async () => {
    const parent = await startScripted()
    const ends = await Promise.all([parent.close(), parent.close()])
    expect(ends).toMatchObject([{ code: 0 }, { code: 0 }])
    expect(await parent.ended).toMatchObject({ code: 0, signal: null })
    await expect(parent.getState()).rejects.toThrow("the child was closed")
    await expect(parent.prompt("say hello").text()).rejects.toThrow("the child was closed")
  })

  it("happens at the end of an `await using` block", async () => {
    let pid = 0
    {
      await using parent = await startScripted()
      pid = parent.pid ?? 0
      expect(isAlive(pid)).toBe(true)
    }
    expect(isAlive(pid)).toBe(false)
  })

  it("kills a child that does not exit, and its processes", async () => {
    const parent = await startScripted("stubborn")
    const pids = [parent.pid ?? 0, Number(parent.model)]
    expect(pids.map(isAlive)).toEqual([true, true])
    expect(await parent.close()).toMatchObject({ signal: "SIGKILL" })
    await Promise.all(pids.map(isGone))
  })

  it("kills processes that the child left in its group", async () => {
    const parent = await startScripted("untidy")
    const left = Number(parent.model)
    expect(await parent.close()).toMatchObject({ code: 0 })
    await isGone(left)
  })

  it("does not wait for another process that holds the child's output open", async () => {
    const parent = await startScripted("untidy", { args: ["--detached"] })
    const outsider = Number(parent.model)
    onTestFinished(() => void process.kill(outsider, "SIGKILL"))
    expect(await parent.close()).toMatchObject({ code: 0 })
    expect(isAlive(outsider)).toBe(true)
  })

  it("rejects pending turns and requests", async () => {
    const parent = await startScripted("deaf")
    const turn = parent.prompt("hang")
    const queued = parent.queue("never answered")
    await Promise.all([
      expect(queued).rejects.toThrow("the child was closed"),
      expect(turn.done()).rejects.toThrow("the child was closed"),
      parent.close(),
    ])
  })
})

describe("a program that exits without closing", () => {
  it("leaves no child process", async () => {
    const folder = mkdtempSync(join(tmpdir(), "turnhouse-rpc-parent-"))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const program = `
      import { writeFileSync } from "node:fs"
      import { startRpc } from ${JSON.stringify(fileURLToPath(new URL("./index.ts", import.meta.url)))}
      const script = "trap '' HUP; echo '" + JSON.stringify({ type: "ready", session_id: "s", model: "m", protocol_version: 1 }) + "'; exec sleep 1000"
      const parent = await startRpc({ command: ["/bin/sh", "-c", script] })
      writeFileSync(${JSON.stringify(join(folder, "pid"))}, String(parent.pid))
      process.exit(7)`
    const { status } = spawnSync(process.execPath, ["--input-type=module", "-e", program], { timeout: 20_000 })
    expect(status).toBe(7)
    const pid = Number(readFileSync(join(folder, "pid"), "utf8"))
    expect(pid).toBeGreaterThan(0)
    await isGone(pid)
  })
})

describe("stderr of the child", () => {
  it("is passed on as it arrives and kept up to a limit", async () => {
    let received = 0
    const noisy = `i=0; while [ $i -lt 300 ]; do printf '%01000d' $i >&2; i=$((i+1)); done
      echo '{"type":"ready","session_id":"s","model":"m","protocol_version":1}'; cat >/dev/null; echo the end >&2`
    const parent = await startScripted("", {
      command: ["/bin/sh", "-c", noisy],
      onStderr: (text) => (received += text.length),
    })
    const { stderr } = await parent.close()
    expect(received).toBeGreaterThan(300_000)
    expect(stderr.length).toBeLessThanOrEqual(64 * 1024)
    expect(stderr.endsWith("the end\n")).toBe(true)
  })
})
