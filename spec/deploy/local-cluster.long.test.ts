// The commands of deploy/README.md.
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { expect, it } from "vitest"

const root = fileURLToPath(new URL("../..", import.meta.url))
const run = (...args: readonly string[]) =>
  promisify(execFile)("npm", ["run", "--silent", "cluster", "--", ...args], { cwd: root })

it("three nodes on one machine finish the answer of a node that is killed", async () => {
  const { stdout } = await run("--story")
  expect(stdout.split("\n").filter((line) => line.startsWith("✓"))).toHaveLength(5)
  expect(stdout).toContain("the answer is finished")
})

it("explains itself, and refuses what it does not know", async () => {
  expect((await run("--help")).stdout).toContain("--story")
  await expect(run("--stories")).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining("Unknown option") })
})
