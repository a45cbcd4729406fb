import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { needPackage } from "../../spec/need-package.ts"
import { limits } from "../contract/limits.ts"
import { isRunning, markedPids } from "../processes/fixtures/marked.ts"
import { workbenches, type Workbench } from "./fixtures/workbench.ts"
import { findBash, shellCall } from "./start-command.ts"

/** Runs a command that prints something first, and calls back when it has. */
async function whileRunning(bench: Workbench, command: string, then: (abort: () => void) => void, timeout = 60) {
  const controller = new AbortController()
  const said = Promise.withResolvers<void>()
  const context = { signal: controller.signal, printed: () => said.resolve() }
  const running = bench.call("bash", { command, timeout }, context)
  await said.promise
  then(() => controller.abort())
  return running
}

describe.each([
  { name: "bash", sandboxed: false },
  { name: "bash in the sandbox", sandboxed: true },
])("$name", ({ sandboxed }) => {
  const openBench = workbenches({ sandboxed })
  beforeAll(() => {
    if (sandboxed) needPackage("bwrap", "bubblewrap")
  })

  it("returns what the command printed on both streams, in order", async () => {
    const result = await openBench().call("bash", { command: "echo one; echo two >&2; echo three" })
    expect(result).toMatchObject({ outcome: "done", output: "one\ntwo\nthree" })
    expect(result.details).toMatchObject({ exitCode: 0, signal: null, truncated: false })
  })

  it("lets the command open its streams by name", async () => {
    const { output } = await openBench().call("bash", { command: "echo a > /dev/stderr; echo b | tee /dev/stderr" })
    expect(output).toBe("a\nb\nb")
  })

  it("uses /bin/sh where there is no bash", () => {
    const { command, args } = shellCall("echo one; echo two >&2", undefined)
    expect(execFileSync(command, args, { encoding: "utf8" })).toBe("one\ntwo\n")
    expect(findBash({ PATH: "/nowhere" })).not.toBe("/nowhere/bash")
  })

  it("fails with the exit code, or with the signal that ended the command", async () => {
    const bench = openBench()
    const exit = await bench.call("bash", { command: "echo out; exit 3" })
    expect(exit).toMatchObject({ outcome: "failed", output: "out\nexit code 3", details: { exitCode: 3 } })
    const signal = await bench.call("bash", { command: "kill -9 $$" })
    const told = sandboxed // bubblewrap passes signals on as shells do
      ? { output: "(no output)\nexit code 137", details: { exitCode: 137 } }
      : { output: "(no output)\nended by SIGKILL", details: { signal: "SIGKILL" } }
    expect(signal).toMatchObject({ outcome: "failed", ...told })
  })

  it("has a process id before the command runs, and an abandoned call has no effect", async () => {
    const bench = openBench()
    const prepared = await bench.prepare("bash", { command: "touch done" })
    const pid = prepared.process?.pid ?? 0
    expect(await isRunning(pid)).toBe(true)
    prepared.abandon()
    await expect.poll(() => isRunning(pid)).toBe(false)
    expect(existsSync(join(bench.cwd, "done"))).toBe(false)
  })

  it("runs in the working folder with the environment of the call and an empty stdin", async () => {
    const bench = openBench()
    const env = { PATH: process.env["PATH"] ?? "", COLOUR: "green" }
    const { output } = await bench.call("bash", { command: 'cat; pwd; echo "$COLOUR ${HOME-none}"' }, { env })
    expect(output).toBe(`${bench.cwd}\ngreen none`)
  })

  it("runs without a PATH variable", async () => {
    expect((await openBench().call("bash", { command: "echo yes" }, { env: {} })).output).toBe("yes")
    expect((await openBench().call("bash", { command: "echo yes" }, { env: { PATH: "/nowhere" } })).output).toBe("yes")
  })

  it("keeps the beginning and the end of long output, in bounded memory", async () => {
    const before = process.memoryUsage().rss
    const result = await openBench().call("bash", { command: "echo first; head -c 400000000 /dev/zero; echo last" })
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024)
    expect(Buffer.byteLength(result.output)).toBeLessThanOrEqual(limits.toolOutputBytes)
    expect(result.output).toMatch(/^first\n/)
    expect(result.output).toMatch(/last$/)
    expect(result.output).toMatch(/\[… 399,7\d\d,\d\d\d bytes left out …\]/)
    expect(result.details).toMatchObject({ exitCode: 0, truncated: true })
  })

  it("kills a command after its timeout and keeps its output, including output after SIGTERM", async () => {
    const bench = openBench()
    const command = "trap 'echo bye; exit' TERM; echo begun; sleep 300 & wait"
    const result = await bench.call("bash", { command, timeout: 1 })
    expect(result.outcome).toBe("failed")
    expect(result.output).toBe(
      "begun\nbye\nThe command did not end in 1 s and was killed; above is what it printed until then.\nGive it more time with timeout (up to 3600), or start it with run_in_background: true and read its output with bash_output.",
    )
    expect(await markedPids(bench.mark)).toEqual([])
  })

  it("kills every process of a cancelled command, even if it ignores signals", async () => {
    const bench = openBench()
    const command = "trap '' TERM; setsid sleep 300 & echo begun; while :; do sleep 1; done"
    const result = await whileRunning(bench, command, (abort) => abort())
    expect(result).toMatchObject({ outcome: "failed", output: "begun\nThe command was cancelled and killed." })
    expect(await markedPids(bench.mark)).toEqual([])
  })

  it("does not start when the call is cancelled before it runs", async () => {
    const bench = openBench()
    const controller = new AbortController()
    const prepared = await bench.prepare("bash", { command: "touch done" }, { signal: controller.signal })
    controller.abort()
    expect(await prepared.run()).toEqual({ outcome: "failed", output: "The call was cancelled." })
    await expect.poll(() => isRunning(prepared.process?.pid ?? 0)).toBe(false)
    expect(existsSync(join(bench.cwd, "done"))).toBe(false)
  })

  it.each([
    ["holds its pipe", "sleep 300 &"],
    ["has closed its pipes", "sleep 300 >/dev/null 2>&1 &"],
  ])(
    "returns when the shell exits although a background process %s, and reports that it keeps running",
    async (_, command) => {
      const bench = openBench()
      const result = await bench.call("bash", { command: `echo begun; ${command}` })
      expect(result).toMatchObject({
        outcome: "done",
        output: "begun\n[Processes that it left in the background are still running.]",
      })
      expect(await markedPids(bench.mark)).not.toEqual([])
      await bench.processes.close()
      expect(await markedPids(bench.mark)).toEqual([])
    },
  )

  it("lets a background process keep printing after the call", async () => {
    const bench = openBench()
    const command = "(while [ ! -e stop ]; do echo noise; sleep 0.02; done; touch stopped) & echo begun"
    expect((await bench.call("bash", { command })).outcome).toBe("done")
    bench.put("stop", "")
    await expect.poll(() => existsSync(join(bench.cwd, "stopped"))).toBe(true)
  })

  it("shows what it prints while it runs", async () => {
    const bench = openBench()
    const running = bench.call("bash", { command: "echo begun; while [ ! -e stop ]; do sleep 0.02; done; echo over" })
    await expect.poll(() => bench.printed).toBe("begun\n")
    bench.put("stop", "")
    expect((await running).output).toBe("begun\nover")
    expect(bench.printed).toBe("begun\nover\n")
  })

  it.each([
    ["an impossible command", "echo \0 > out", /cannot contain the character NUL/],
    ["a command that is too long", `: ${"x".repeat(3_000_000)}`, /too long for the system/],
  ])("refuses %s", async (_, command, sentence) => {
    const bench = openBench()
    const prepared = await bench.prepare("bash", { command })
    expect(prepared.process).toBeUndefined()
    const result = await prepared.run()
    expect(result.outcome).toBe("failed")
    expect(result.output).toMatch(sentence)
    expect(existsSync(join(bench.cwd, "out"))).toBe(false)
  })

  it("fails with a message when the working folder does not exist", async () => {
    const bench = openBench()
    const result = await bench.call("bash", { command: "true" }, { cwd: join(bench.cwd, "gone") })
    expect(result.output).toMatch(/^The command cannot be run: the working folder .*gone is not there/)
  })
})
