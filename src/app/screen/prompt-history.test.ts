import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { PromptHistoryFile } from "./prompt-history.ts"

let home = ""
beforeEach(() => void (home = mkdtempSync(join(tmpdir(), "history-"))))
afterEach(() => rmSync(home, { recursive: true }))

const file = () => join(home, "prompt-history.jsonl")
const historyOf = () => new PromptHistoryFile(home, (text) => text.replaceAll("sk-secret", "‹redacted›"))

it("keeps prompts of all sessions for their owner only, with secrets redacted", async () => {
  await historyOf().add("use the key sk-secret")
  await historyOf().add("two\nlines")
  expect(await historyOf().read()).toEqual(["use the key ‹redacted›", "two\nlines"])
  expect(statSync(file()).mode & 0o777).toBe(0o600)
  expect(readFileSync(file(), "utf8")).not.toContain("sk-secret")
})

it("has none in a new home, and ignores lines that are not prompts", async () => {
  expect(await historyOf().read()).toEqual([])
  writeFileSync(file(), '"good"\n{"a":1}\nnot JSON\n')
  expect(await historyOf().read()).toEqual(["good"])
})

it("keeps the newest 1000, and no prompt of more than 10,000 characters", async () => {
  writeFileSync(file(), Array.from({ length: 2100 }, (_, n) => `"prompt ${n}"\n`).join(""))
  await historyOf().add("x".repeat(10_001))
  const prompts = await historyOf().read()
  expect([prompts.length, prompts[0], prompts.at(-1)]).toEqual([1000, "prompt 1100", "prompt 2099"])
  expect(readFileSync(file(), "utf8").trimEnd().split("\n")).toHaveLength(1000)
})
