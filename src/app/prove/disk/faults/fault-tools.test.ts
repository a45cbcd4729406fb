import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, vi } from "vitest"
import { findFaultTools } from "./fault-tools.ts"

it("leaves out what this machine cannot do, and says why", async (test) => {
  const folder = mkdtempSync(join(tmpdir(), "turnhouse-fault-tools-"))
  test.onTestFinished(() => rmSync(folder, { recursive: true }))
  vi.stubEnv("PATH", folder)
  test.onTestFinished(() => void vi.unstubAllEnvs())
  const { usable, leftOut } = await findFaultTools(folder)
  expect(usable).toEqual([])
  expect(leftOut.flatMap((one) => one.leftOut).toSorted()).toEqual(["full", "limit", "read", "sync", "write"])
  for (const { why } of leftOut) expect(why).toMatch(/: spawn \w+ ENOENT$|^they need Linux$/)
})
