import { tmpdir } from "node:os"
import { expect, it } from "vitest"
import { isFolder } from "./folder-config.ts"

it.for([
  ["a folder", tmpdir(), true],
  ["a file", import.meta.filename, false],
  ["nothing", "/no such folder", false],
  ["a path with a null byte", "/tmp\0", false],
  ["a path that is too long", `/${"a".repeat(10_000)}`, false],
] as const)("finds no folder where there is none: %s", ([, path, isOne]) => {
  expect(isFolder(path)).toBe(isOne)
})
