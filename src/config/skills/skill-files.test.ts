import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { SkillFiles } from "./skill-files.ts"

let root: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skills-")))
})
afterEach(() => rmSync(root, { recursive: true }))

function write(path: string, text: string | Uint8Array): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

function skill(place: string, name: string, text: string | Uint8Array): void {
  write(join(place, name, "SKILL.md"), text)
}

const closed = new Set<string>()
afterEach(() => closed.clear())

function skills(...places: readonly string[]): SkillFiles {
  return new SkillFiles(
    places.map((source) => ({
      folder: join(root, source),
      source,
      isOpen: () => Promise.resolve(!closed.has(source)),
    })),
  )
}

async function described(text: string): Promise<string | undefined> {
  skill("a", "one", text)
  return (await skills("a").list()).find(({ name }) => name === "one")?.description
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

  it("come from the first place that has them and is open", async () => {
    skill("a", "returns", "first")
    skill("b", "returns", "second")
    skill("b", "more", "only here")
    const both = skills("a", "missing", "b")
    expect(await both.read("returns")).toBe("first")
    expect((await both.list()).map(({ name, source }) => `${name} ${source}`)).toEqual(["more b", "returns a"])
    closed.add("a")
    expect(await both.read("returns")).toBe("second")
    expect((await both.list()).map(({ name, source }) => `${name} ${source}`)).toEqual(["more b", "returns b"])
  })

  it("exclude other folders, invalid names and folders without SKILL.md", async () => {
    skill("a", "good", "yes")
    skill("elsewhere", "secret", "no")
    skill("a", "has.dot", "no")
    mkdirSync(join(root, "a", "nothing"))
    write("a/file", "")
    const names = ["../elsewhere/secret", "has.dot", "nothing", "file", "", "x".repeat(129), "missing"]
    for (const name of names) expect(await skills("a").read(name)).toBeUndefined()
    expect((await skills("a").list()).map(({ name }) => name)).toEqual(["good"])
  })

  it("are read again when they change", async () => {
    skill("a", "returns", "first")
    const files = skills("a")
    expect(await files.read("returns")).toBe("first")
    skill("a", "returns", "another text")
    expect(await files.read("returns")).toBe("another text")
  })

  it("are listed with the reason if they cannot be used", async () => {
    skill("a", "large", "x".repeat(256 * 1024 + 1))
    skill("a", "binary", Uint8Array.of(0xff, 0xfe, 0))
    mkdirSync(join(root, "a", "folder", "SKILL.md"), { recursive: true })
    const problems = (await skills("a").list()).map(({ name, problem }) => `${name}: ${problem}`)
    expect(problems).toEqual([
      "binary: it is not text",
      "folder: it is not a file",
      "large: it has more than 262144 bytes",
    ])
    expect(await skills("a").open("large")).toMatchObject({ kind: "no" })
  })
})

describe("the description of a skill", () => {
  it.each([
    ["---\ndescription: Handles returns\n---\nx", "Handles returns"],
    ["---\ndescription: |\n  Handles\n  returns\nwhen_to_use: On refunds.\n---\nx", "Handles returns On refunds."],
    ["---\ndescription: Use when: the user returns\n---\nx", "Use when: the user returns"],
    ['---\ndescription: "Use: it"\nlicense: [broken\n---\nx', "Use: it"],
    ["# Returns\n\nAsk.", "Returns"],
    ["", ""],
    [`---\ndescription: ${"long ".repeat(1000)}\n---\nx`, "long ".repeat(1000).slice(0, 1024)],
  ])("%# is found", async (text, description) => {
    expect(await described(text)).toBe(description)
  })

  it("is not offered to the model where only people may start the skill", async () => {
    skill("a", "deploy", "---\ndescription: Deploys\ndisable-model-invocation: true\n---\nGo.")
    expect(await skills("a").list()).toMatchObject([{ name: "deploy", isOffered: false }])
    expect(await skills("a").open("deploy")).toMatchObject({ kind: "text", text: "Go." })
  })
})

describe("the files of a skill", () => {
  it("are listed with its text and read by name", async () => {
    skill("a", "pdf", "Fill forms.")
    write("a/pdf/scripts/fill.py", "print(1)")
    write("a/pdf/forms.md", "Forms.")
    const files = skills("a")
    expect(await files.open("pdf")).toEqual({
      kind: "text",
      text: "Fill forms.",
      folder: join(root, "a/pdf"),
      files: ["forms.md", "scripts/fill.py"],
    })
    expect(await files.open("pdf", "scripts/fill.py")).toMatchObject({ kind: "text", text: "print(1)" })
  })

  it("are not outside of its folder, also not through a link", async () => {
    skill("a", "pdf", "Fill forms.")
    write("secret", "hidden")
    symlinkSync(join(root, "secret"), join(root, "a/pdf/link"))
    const files = skills("a")
    for (const file of ["../../secret", join(root, "secret"), "link", "missing", "."])
      expect(await files.open("pdf", file)).toMatchObject({ kind: "no" })
  })

  it("are bounded in number", async () => {
    skill("a", "many", "x")
    for (let at = 0; at < 150; at += 1) write(`a/many/${at}.md`, "")
    expect(await skills("a").open("many")).toMatchObject({ files: { length: 100 } })
  })

  it("of an unknown skill are refused with the names of the others", async () => {
    skill("a", "pdf", "x")
    expect(await skills("a").open("pdfs")).toEqual({
      kind: "no",
      reason: "There is no skill named 'pdfs'. There are: pdf.",
    })
    expect(await skills("none").open("pdfs")).toEqual({
      kind: "no",
      reason: "There is no skill named 'pdfs'. There are none.",
    })
  })
})
