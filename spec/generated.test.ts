import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { artefacts } from "../scripts/artefacts.ts"

it.each([...artefacts()])("%s matches the schemas", (path, text) => {
  expect(readFileSync(new URL(`../${path}`, import.meta.url), "utf8") === text).toBe(true)
})

it("commits no generated checker", () => {
  const tracked = execFileSync("git", ["ls-files", "src"], { cwd: new URL("..", import.meta.url), encoding: "utf8" })
  expect(tracked.split("\n").filter((path) => path.includes("/generated/"))).toEqual([])
})
