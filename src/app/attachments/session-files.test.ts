import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { refused } from "../../log/event-log.ts"
import { sessionFiles } from "./session-files.ts"

const root = realpathSync(mkdtempSync(join(tmpdir(), "session-files-")))
const created = { cwd: join(root, "folder") }
const bad = { code: "config.bad", what: "a mistake" } as const
const files = sessionFiles(root, { configured: async () => refused(bad) })

beforeAll(() => {
  mkdirSync(join(root, "folder/src"), { recursive: true })
  writeFileSync(join(root, "folder/src/refund-rates.ts"), "")
  writeFileSync(join(root, "folder/readme.md"), "")
  writeFileSync(join(root, "outside.txt"), "")
  symlinkSync(join(root, "outside.txt"), join(root, "folder/link.txt"))
  for (let at = 0; at < 60; at += 1) writeFileSync(join(root, `folder/many-${at}`), "")
})
afterAll(() => rmSync(root, { recursive: true }))

it("finds files below the folder by their letters, the best first", async () => {
  expect(await files.find(created, "rrates")).toEqual(["src/refund-rates.ts"])
  expect(await files.find(created, "../outside")).toEqual([])
  expect(await files.find(created, "link")).toEqual([])
})

it("answers with at most fifty", async () => {
  expect(await files.find(created, "many")).toHaveLength(50)
})

it("attaches nothing where the configuration has a mistake", async () => {
  expect(await files.mentioned(created, "@readme.md")).toEqual({ kind: "refused", refusal: bad })
})
