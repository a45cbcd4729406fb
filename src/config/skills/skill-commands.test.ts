import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { listSkillCommands, runSkillCommand } from "./skill-commands.ts"
import { SkillFiles } from "./skill-files.ts"

let root: string
let skills: SkillFiles

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skill-commands-")))
  skills = new SkillFiles([{ folder: root, source: "project", isOpen: () => Promise.resolve(true) }])
})
afterEach(() => rmSync(root, { recursive: true }))

function write(name: string, text: string): void {
  mkdirSync(join(root, name), { recursive: true })
  writeFileSync(join(root, name, "SKILL.md"), text)
}

it("follows a skill by /skill NAME and by /NAME, with the task behind it", async () => {
  write("returns", "---\ndescription: Handles returns\n---\nAsk for the receipt.")
  const text = "Follow the skill 'returns':\n\nAsk for the receipt.\n\nThe task: order 7"
  expect(await runSkillCommand(skills, "skill", ["returns", "order", "7"])).toEqual({ kind: "prompt", text })
  expect(await runSkillCommand(skills, "returns", ["order", "7"])).toEqual({ kind: "prompt", text })
})

it("names the other files of the skill", async () => {
  write("returns", "Ask.")
  writeFileSync(join(root, "returns", "form.md"), "")
  expect(await runSkillCommand(skills, "returns", [])).toEqual({
    kind: "prompt",
    text: `Follow the skill 'returns':\nIts folder is ${join(root, "returns")}; other files there: form.md.\n\nAsk.`,
  })
})

it("lists them, with the reason for those that cannot be used", async () => {
  write("returns", "---\ndescription: Handles returns\n---\nx")
  write("broken", "x".repeat(300_000))
  const text = "broken (project): not usable: it has more than 262144 bytes\nreturns (project): Handles returns"
  expect(await runSkillCommand(skills, "skills", [])).toEqual({ kind: "output", text })
  expect(await runSkillCommand(skills, "skill", [])).toEqual({ kind: "output", text })
  expect((await listSkillCommands(skills)).map(({ name }) => name)).toEqual(["skill", "skills", "broken", "returns"])
  expect(await runSkillCommand(skills, "broken", [])).toMatchObject({ kind: "failed" })
})

it("knows no other names, and has no commands without skills", async () => {
  expect(await listSkillCommands(skills)).toEqual([])
  expect(await runSkillCommand(skills, "returns", [])).toEqual({ kind: "unknown" })
  expect(await runSkillCommand(skills, "skill", ["returns"])).toEqual({
    kind: "failed",
    why: "there is no skill 'returns'; /skills lists them",
  })
})
