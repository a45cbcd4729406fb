// An undo whose process is killed in the middle of restoring files is finished by the next one.
import { execFileSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import { expect, it } from "vitest"
import { eventually } from "../e2e/eventually.ts"
import { expectIdle, expectValid } from "../e2e/history.ts"
import { eventsOf } from "../e2e/printed.ts"
import { newPlace } from "../e2e/turnhouse.ts"

const names = Array.from({ length: 100 }, (_, n) => `files/${n}.txt`)

it("a killed undo leaves whole files, and the next process restores the rest", async (test) => {
  const place = newPlace(test)
  execFileSync("git", ["init", "-q"], { cwd: place.folder })
  mkdirSync(place.path("files"))
  for (const name of names) place.write(name, "one\n")
  const command = "for file in files/*; do echo two > $file; done"
  const model = place.script([[{ call: { tool: "bash", input: { command } } }], [{ text: "Done." }]])
  expect((await place.run("run", "go", "--yes", "--model", model)).code).toBe(0)
  const restored = () => names.filter((name) => place.read(name) === "one\n").length

  const undo = place.start(["undo"])
  await eventually("a file is restored", async () => restored() > 0 || undefined)
  undo.signal("SIGKILL")
  await undo.ended
  expect(restored()).toBeLessThan(names.length)
  expect(names.every((name) => ["one\n", "two\n"].includes(place.read(name)))).toBe(true)

  const other = place.script([[{ text: "Yes." }]], {}, "other.json")
  expect(await place.run("run", "-c", "are you there?", "--model", other)).toMatchObject({ code: 0, stdout: "Yes.\n" })
  expect(restored()).toBe(names.length)
  const log = await place.log(await place.newest())
  expectValid(log)
  expectIdle(log)
  expect(eventsOf(log, "undo.started")).toHaveLength(1)
  expect(eventsOf(log, "undo.ended")).toMatchObject([{ report: { reverted: names.length, conflicts: 0 } }])
})
