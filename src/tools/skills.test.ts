import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { Skills } from "./skills.ts"

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "skills-"))
})
afterEach(() => rmSync(folder, { recursive: true }))

function skill(root: string, name: string, text: string): void {
  mkdirSync(join(folder, root, name), { recursive: true })
  writeFileSync(join(folder, root, name, "SKILL.md"), text)
}

function skills(...roots: readonly string[]): Skills {
  return new Skills(roots.map((root) => join(folder, root)))
}

describe("skills", () => {
  it("are read without their front matter", async () => {
    skill("a", "returns", "---\nname: returns\n---\n\n# Returns\n\n---\nAsk for the receipt.\n")
    skill("a", "bare", "No front matter.\n---\nreally\n---\n")
    skill("a", "empty-front", "---\n---\nWords.")
    expect(await skills("a").read("returns")).toBe("# Returns\n\n---\nAsk for the receipt.")
    expect(await skills("a").read("bare")).toBe("No front matter.\n---\nreally\n---")
    expect(await skills("a").read("empty-front")).toBe("Words.")
  })

  it("come from the first root that has them", async () => {
    skill("a", "returns", "first")
    skill("b", "returns", "second")
    skill("b", "more", "only here")
    const both = skills("a", "missing", "b")
    expect(await both.read("returns")).toBe("first")
    expect(await both.list()).toEqual(["more", "returns"])
  })

  it("exclude other folders, invalid names and folders without SKILL.md", async () => {
    skill("a", "good", "yes")
    skill("elsewhere", "secret", "no")
    skill("a", "has.dot", "no")
    mkdirSync(join(folder, "a", "nothing"))
    writeFileSync(join(folder, "a", "file"), "")
    const names = ["../elsewhere/secret", "has.dot", "nothing", "file", "", "x".repeat(129), "missing"]
    for (const name of names) expect(await skills("a").read(name)).toBeUndefined()
    expect(await skills("a").list()).toEqual(["good"])
  })
})
