import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { expect, it, onTestFinished, vi } from "vitest"
import { freshMark } from "./fixtures/marked.ts"
import { Reaper } from "./reaper.ts"

/** Looks that fit into 1.5 s if each takes half a second, and those before and after. Counted looks would be 15. */
const MAX_LOOKS = 8

it.runIf(process.platform === "linux")("uses force by the clock, not after a number of looks", async () => {
  const folder = mkdtempSync(join(tmpdir(), "turnhouse-reaper-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const looks = join(folder, "looks")
  writeFileSync(join(folder, "grep"), `#!/bin/sh\necho x >>'${looks}'\nsleep 0.5\n`)
  chmodSync(join(folder, "grep"), 0o755)
  vi.stubEnv("PATH", `${folder}${delimiter}${process.env["PATH"] ?? ""}`)
  onTestFinished(() => void vi.unstubAllEnvs())
  const script = "trap '' TERM; echo ready; while :; do sleep 300; done"
  const stubborn = spawn("sh", ["-c", script], { detached: true, stdio: ["ignore", "pipe", "ignore"] })
  await once(stubborn.stdout, "data")
  const reaper = new Reaper(freshMark())
  await reaper.add(stubborn.pid ?? 0)
  const exited = once(stubborn, "exit")
  await reaper.close()
  expect((await exited)[1]).toBe("SIGKILL")
  expect(readFileSync(looks, "utf8").split("\n").length - 1).toBeLessThanOrEqual(MAX_LOOKS)
})
