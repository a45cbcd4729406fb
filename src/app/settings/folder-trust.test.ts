import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { filesUnder } from "./folder-trust.ts"

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "turnhouse-files-"))
})
afterEach(() => rmSync(folder, { recursive: true }))

function file(name: string): void {
  mkdirSync(join(folder, name, ".."), { recursive: true })
  writeFileSync(join(folder, name), "")
}

it("lists files and the content of folders in order", () => {
  for (const name of ["b.json", "dir/two", "dir/one", "dir/deep/three"]) file(name)
  mkdirSync(join(folder, "empty"))
  expect(filesUnder(folder, ["b.json", "dir", "empty"])).toEqual({
    paths: ["b.json", "dir/deep/three", "dir/one", "dir/two", "empty/ (empty)"],
    more: false,
  })
})

it("stops at its limit and reports that there is more", () => {
  for (let number = 0; number < 150; number++) file(`dir/${number}`)
  const { paths, more } = filesUnder(folder, ["dir"])
  expect(paths).toHaveLength(100)
  expect(more).toBe(true)
})

it("ends at a link that leads back", () => {
  mkdirSync(join(folder, "dir"))
  symlinkSync(".", join(folder, "dir", "again"))
  expect(filesUnder(folder, ["dir"]).paths.length).toBeGreaterThan(0)
})
