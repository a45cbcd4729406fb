import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { stageFiles } from "./stage-files.ts"

const folder = mkdtempSync(join(tmpdir(), "stage-files-"))
afterAll(() => rmSync(folder, { recursive: true }))

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

function png(width: number, height: number, padding = 0): Buffer {
  const bytes = Buffer.alloc(33 + padding)
  bytes.write("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1")
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes
}

function jpeg(width: number, height: number): Buffer {
  const frame = Buffer.alloc(19)
  frame.set([0xff, 0xc0, 0, 17, 8])
  frame.writeUInt16BE(height, 5)
  frame.writeUInt16BE(width, 7)
  return Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2]), frame])
}

function webp(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(30)
  bytes.write("RIFF\0\0\0\0WEBPVP8X", "latin1")
  bytes.writeUIntLE(width - 1, 24, 3)
  bytes.writeUIntLE(height - 1, 27, 3)
  return bytes
}

async function typeOf(path: string): Promise<string | undefined> {
  return (await stageFiles([path], folder)).attachments[0]?.mediaType
}

describe("staging files", () => {
  it("determines the type by content, not by name", async () => {
    expect(await typeOf(file("a.txt", png(10, 10)))).toBe("image/png")
    expect(await typeOf(file("b.png", "plain words\n\tand tabs"))).toBe("text/plain")
    expect(await typeOf(file("c", jpeg(10, 10)))).toBe("image/jpeg")
    expect(await typeOf(file("d", "GIF89a\x01\0\x01\0"))).toBe("image/gif")
    expect(await typeOf(file("e", webp(10, 10)))).toBe("image/webp")
    expect(await typeOf(file("f", "%PDF-1.7 … %%EOF\n"))).toBe("application/pdf")
  })

  it("keeps the bytes unchanged and names the file by the last part of its path", async () => {
    const bytes = png(3, 4)
    const { attachments } = await stageFiles([file("picture.png", bytes)], "/")
    expect(attachments).toEqual([{ name: "picture.png", mediaType: "image/png", data: bytes.toString("base64") }])
  })

  it("resolves relative paths against the folder", async () => {
    file("here.txt", "words")
    expect((await stageFiles(["here.txt"], folder)).attachments).toHaveLength(1)
  })

  it.each([
    ["text that is too long", "x".repeat(256 * 1024 + 1), "256 KiB"],
    ["an image that is too large", png(10, 10, 3.5 * 1024 * 1024), "3.5 MiB"],
    ["a PNG that is too wide", png(8001, 10), "8000 pixels"],
    ["a JPEG that is too high", jpeg(10, 8001), "8000 pixels"],
    ["a WebP that is too wide", webp(9000, 10), "8000 pixels"],
    ["a PDF without its end", "%PDF-1.7 …", "without its end"],
    ["binary data", Buffer.from([1, 2, 3, 0xff]), "binary data"],
    ["text with a control character", "a\0b", "binary data"],
    ["a file of 20 MiB", Buffer.alloc(20 * 1024 * 1024), "10 MiB"],
  ])("makes a note of %s", async (_, content, note) => {
    const path = file("odd", content)
    const { attachments, notes, problems } = await stageFiles([path], folder)
    expect({ attachments, problems }).toEqual({ attachments: [], problems: [] })
    expect(notes).toEqual([expect.stringContaining(note)])
    expect(notes[0]).toContain(JSON.stringify(path))
  })

  it("attaches eight files and notes the others", async () => {
    const path = file("one.txt", "one")
    const { attachments, notes } = await stageFiles(
      Array.from({ length: 10 }, () => path),
      folder,
    )
    expect([attachments.length, notes.length]).toEqual([8, 2])
  })

  it("attaches at most 15 MiB in total", async () => {
    const pdf = Buffer.alloc(6 * 1024 * 1024, "%%EOF ")
    pdf.write("%PDF-")
    const path = file("big.pdf", pdf)
    const { attachments, notes } = await stageFiles([path, path, path, file("small.txt", "fits")], folder)
    expect(attachments.map(({ name }) => name)).toEqual(["big.pdf", "big.pdf", "small.txt"])
    expect(notes).toEqual([expect.stringContaining("15 MiB in all")])
  })

  it("reports paths that are not readable files as problems and does not wait for a pipe", async () => {
    const target = file("target.txt", "words")
    symlinkSync(target, join(folder, "link"))
    mkdirSync(join(folder, "folder"))
    execFileSync("mkfifo", [join(folder, "pipe")])
    file("empty", "")
    const { attachments, notes, problems } = await stageFiles(
      ["missing", "link", "folder", "pipe", "empty", "target.txt/below"],
      folder,
    )
    expect({ attachments, notes }).toEqual({ attachments: [], notes: [] })
    expect(problems).toEqual(
      ["not exist", "symbolic link", "not a regular file", "not a regular file", "is empty", "not exist"].map((text) =>
        expect.stringContaining(text),
      ),
    )
  })
})
