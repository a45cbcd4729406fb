import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it, onTestFinished } from "vitest"
import { processesWith } from "../../bench/doors/running-process.ts"

const program = fileURLToPath(new URL("../../bench/cluster.ts", import.meta.url))

function start(...args: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), "turnhouse-spec-bench-"))
  chmodSync(folder, 0o755) // PostgreSQL does not run as root
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const child = spawn(process.execPath, [program, ...args], { env: { ...process.env, TMPDIR: folder }, stdio: "pipe" })
  let [stdout, stderr] = ["", ""]
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
  const ended = once(child, "close").then(([code]: unknown[]) => ({ code, stdout, stderr }))
  const left = () => ({ files: readdirSync(folder), processes: processesWith(`TMPDIR=${folder}`) })
  return { child, ended, left }
}

const nothing = { files: [], processes: [] }

describe("the benchmark of a cluster", () => {
  it("explains itself and names wrong arguments", async () => {
    const [help, part] = await Promise.all([start("--help").ended, start("delay", "nosuch").ended])
    expect(help).toMatchObject({ code: 0, stderr: "" })
    for (const word of ["delay", "appends", "nodes", "idle", "--quick"]) expect(help?.stdout).toContain(word)
    expect(part).toMatchObject({ code: 2, stdout: "" })
    expect(part?.stderr).toContain("there is no part nosuch. There are: delay, appends, nodes, idle.")
  })

  it("measures every part, and leaves no process and no file", async () => {
    const { ended, left } = start("--quick")
    const { code, stdout, stderr } = await ended
    expect({ code, stderr: stderr.match(/^bench: .*/gm) }).toEqual({ code: 0, stderr: null })
    for (const figure of [
      "2 x 50/s, p99, ms",
      "durable appends, appends/s",
      "CPU of nodes, 1,000 tokens",
      "statements of a node",
    ])
      expect(stdout).toMatch(new RegExp(`${figure}.* \\d`))
    expect(left()).toEqual(nothing)
  })

  it("leaves no process and no file after Ctrl-C", async () => {
    const { child, ended, left } = start("--quick", "idle")
    await once(child.stderr, "data")
    child.kill("SIGINT")
    expect(await ended).toMatchObject({ code: 130, stdout: "" })
    expect(left()).toEqual(nothing)
  })
})
