// `undo` takes a turn back with the files that its commands changed, after the process that ran it has ended.
import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { newPlace } from "../e2e/turnhouse.ts"

it("undo reverts a turn of a closed session, leaves later edits alone, and rm forgets the snapshots", async (test) => {
  const place = newPlace(test)
  execFileSync("git", ["init", "-q"], { cwd: place.folder })
  place.write("a.txt", "one\n")
  place.write("b.txt", "one\n")
  const command = "echo two > a.txt; echo two > b.txt; echo new > c.txt"
  const model = place.script([[{ call: { tool: "bash", input: { command } } }], [{ text: "Done." }]])
  expect(await place.run("undo")).toMatchObject({ code: 2, stdout: "" })
  expect((await place.run("run", "go", "--yes", "--model", model)).code).toBe(0)
  expect(place.read("a.txt")).toBe("two\n")
  place.write("b.txt", "by the user\n")

  const plan = await place.run("undo", "--dry-run")
  expect(plan.stdout).toContain("Would undo the newest turn")
  expect(place.read("a.txt")).toBe("two\n")
  expect((await place.run("undo", "--turns", "none")).stderr).toContain("--turns: 'none' is not a number")

  const { code, stdout } = await place.run("undo")
  expect(code).toBe(1)
  expect(stdout).toContain("conflict   b.txt: it was changed after the turn; left as it is")
  expect(stdout).toContain("restored   a.txt")
  expect(stdout).toContain("deleted    c.txt")
  expect(stdout).toContain("2 files reverted, 1 left as it is")
  expect([place.read("a.txt"), place.read("b.txt"), place.has("c.txt")]).toEqual(["one\n", "by the user\n", false])

  const again = await place.run("undo")
  expect(again).toMatchObject({ code: 1, stderr: "turnhouse: There is no turn that can be undone.\n" })
})

it("rm deletes the snapshots of a session", async (test) => {
  const place = newPlace(test)
  const command = { call: { tool: "bash", input: { command: "echo new > c.txt" } } }
  await place.run("run", "go", "--yes", "--model", place.script([[command], [{ text: "Done." }]]))
  const id = await place.newest()
  const folder = join(place.home, "snapshots", "turns", id)
  expect(existsSync(folder)).toBe(true)
  expect((await place.run("rm", id, "--yes")).code).toBe(0)
  expect(existsSync(folder)).toBe(false)
})
