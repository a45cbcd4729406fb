import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { expect, it, onTestFinished } from "vitest"
import { withSourcePositions } from "./source-positions.ts"

it("leaves a stack as it is where the source map is missing or damaged", () => {
  const folder = mkdtempSync(join(tmpdir(), "turnhouse-test-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, "damaged.js.map"), "{")
  const places = ["damaged.js", "missing.js"].map(
    (name) => `    at run (${pathToFileURL(join(folder, name)).href}:1:2)`,
  )
  const stack = ["Error: boom", ...places].join("\n")
  expect(withSourcePositions(stack)).toBe(stack)
})
