import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Attachment } from "../../contract/values.ts"
import { pngFile } from "../../tools/fixtures/images.ts"
import { imagesAt, mentionedFiles, namedImages, type FilePlace } from "./prompt-files.ts"

const root = realpathSync(mkdtempSync(join(tmpdir(), "prompt-files-")))
const cwd = join(root, "folder")
const home = join(root, "home")
const place: FilePlace = { home, config: {}, cwd, isTyped: true }

beforeAll(() => {
  for (const folder of [cwd, home, join(cwd, "src")]) mkdirSync(folder)
  writeFileSync(join(cwd, "notes.txt"), "first line\n")
  writeFileSync(join(cwd, "my notes.txt"), "second\n")
  writeFileSync(join(cwd, "src/a.ts"), "export {}\n")
  writeFileSync(join(cwd, ".env"), "TOKEN=1\n")
  writeFileSync(join(cwd, "shot.png"), pngFile(3, 2))
  writeFileSync(join(cwd, "large.txt"), "x".repeat(300_000))
  writeFileSync(join(home, "config.json"), "{}")
  writeFileSync(join(root, "outside.txt"), "outside\n")
  symlinkSync(join(home, "config.json"), join(cwd, "link.json"))
})
afterAll(() => rmSync(root, { recursive: true }))

const textOf = ({ data = "" }: Attachment) => Buffer.from(data, "base64").toString()

describe("files after @", () => {
  it("are attached with their path: text, images, and folders as a list", async () => {
    const { attachments, problems } = await mentionedFiles('see @notes.txt, @"my notes.txt" @src @shot.png.', place)
    expect(problems).toEqual([])
    expect(attachments.map(({ name, mediaType }) => [name, mediaType])).toEqual([
      ["notes.txt", "text/plain"],
      ["my notes.txt", "text/plain"],
      ["shot.png", "image/png"],
      ["src/", "text/plain"],
    ])
    expect(attachments.filter(({ mediaType }) => mediaType === "text/plain").map(textOf)).toEqual([
      "first line\n",
      "second\n",
      "a.ts",
    ])
  })

  it("that do not exist stay text, and each file is attached once", async () => {
    const { attachments, notes, problems } = await mentionedFiles("@person @src/a.ts @./src/a.ts", place)
    expect({ names: attachments.map(({ name }) => name), notes, problems }).toEqual({
      names: ["src/a.ts"],
      notes: [],
      problems: [],
    })
  })

  it("that are too large are named to the model", async () => {
    const { attachments, notes } = await mentionedFiles("@large.txt", place)
    expect(attachments).toEqual([])
    expect(notes).toEqual([expect.stringContaining("not included: larger than 256 KiB")])
  })

  it("in Turnhouse's home or denied by the configuration are not attached, also through a link", async () => {
    const denying = { ...place, config: { tools: { deny: ["Read(.env)"] } } }
    const { attachments, problems } = await mentionedFiles(`@link.json @${home}/config.json @.env`, denying)
    expect(attachments).toEqual([])
    expect(problems).toEqual([
      expect.stringContaining("Tools may not access the home folder of Turnhouse."),
      expect.stringContaining("the configuration denies reading it"),
    ])
  })

  it("outside the folder are attached only where a person typed the prompt", async () => {
    expect((await mentionedFiles("@../outside.txt", place)).attachments).toMatchObject([
      { name: join(root, "outside.txt") },
    ])
    const script = await mentionedFiles("@../outside.txt", { ...place, isTyped: false })
    expect(script.attachments).toEqual([])
    expect(script.problems).toEqual([expect.stringContaining("it lies outside the folder, and there is no terminal")])
  })

  it("outside the folder are not even looked for where a client elsewhere asks", async () => {
    const asked = { ...place, isTyped: false, ignoresOutside: true }
    const text = `@../outside.txt @link.json @${home}/config.json @/etc/hostname @notes.txt @.`
    const { attachments, notes, problems } = await mentionedFiles(text, asked)
    expect(attachments.map(({ name }) => name)).toEqual(["notes.txt", "./"])
    expect([...notes, ...problems]).toEqual([])
  })
})

describe("images that are dropped", () => {
  it("are attached, also from outside the folder", async () => {
    const found = await imagesAt([join(cwd, "shot.png")], { ...place, cwd: join(cwd, "src") })
    expect(found?.attachments).toMatchObject([{ name: join(cwd, "shot.png"), mediaType: "image/png" }])
  })

  it("are none where a file is missing or something else", async () => {
    expect(await imagesAt([join(cwd, "shot.png"), join(cwd, "missing.png")], place)).toBeUndefined()
    expect(await imagesAt([join(cwd, "notes.txt")], place)).toBeUndefined()
  })

  it("are refused where tools may not read", async () => {
    const found = await imagesAt([join(home, "config.json")], place)
    expect(found).toMatchObject({ attachments: [], problems: [expect.stringContaining("is not attached")] })
  })
})

describe("named images", () => {
  it("are attached", async () => {
    expect(await namedImages(["shot.png"], place)).toMatchObject([{ name: "shot.png", mediaType: "image/png" }])
  })

  it.each([
    ["missing.png", "--image: .*missing.png does not exist"],
    ["src", "--image: .*src is not a regular file"],
    ["notes.txt", "--image: notes.txt is not an image .* Attach it with @notes.txt"],
    ["large.txt", "--image: .*is not included: larger than 256 KiB"],
    ["link.json", "--image: link.json: Tools may not access the home folder"],
    [" ", "--image needs a file"],
  ])("that are no images are refused: %s", async (path, message) => {
    await expect(namedImages([path], place)).rejects.toThrow(new RegExp(message))
  })
})
