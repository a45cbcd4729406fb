import { afterEach, beforeEach, expect, it } from "vitest"
import { Chunker } from "../text/chunker.ts"
import { docxFile } from "../fixtures/made-files.ts"
import { Extractor } from "./extractor.ts"
import type { Kind } from "./kinds.ts"
import { textInPieces } from "./text-in-pieces.ts"

let extractor: Extractor

beforeEach(() => (extractor = new Extractor()))
afterEach(() => extractor.close())

async function* pieces(content: string | Buffer, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(content)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function read(kind: Kind, content: string | Buffer, size = 50, charset?: string): Promise<string> {
  const document = { name: "mail/archive.mbox", kind, pieces: pieces(content, size), charset }
  return (await Array.fromAsync(textInPieces(document, extractor))).join("")
}

it("a mailbox has a section for each message, also one that cannot be read", async () => {
  const broken = Array.from({ length: 60 }, (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\n\n--b${at}\n`)
  const mailbox = `From a\nSubject: One\n\nFirst.\n\nFrom b\n${broken.join("")}\nFrom c\nSubject: Three\n\nThird.\n`
  expect(await read("mbox", mailbox)).toBe(
    "# mail/archive.mbox\n\n## One\n\nFirst.\n\n## Message 2\n\n[It cannot be read: it is damaged: Maximum MIME nesting depth of 50 levels exceeded]\n\n## Three\n\nThird.\n\n",
  )
})

it("a table of values is decoded in the charset of its server", async () => {
  const table = "| Größe |\n| --- |\n| 5 |\n\n"
  expect(await read("csv", "Größe\n5\n")).toBe(table)
  expect(await read("csv", Buffer.from("Größe\n5\n", "latin1"), 50, "iso-8859-1")).toBe(table)
  await expect(read("csv", Buffer.from("Größe\n5\n", "latin1"))).rejects.toThrow("it is neither UTF-8 nor UTF-16")
})

it("a table becomes passages of whole rows with the header", async () => {
  const rows = Array.from({ length: 200 }, (_, at) => `Item ${at},A note. With two sentences. ${at}\n`)
  const chunker = new Chunker()
  const chunks = [...chunker.push(await read("csv", `Item,Note\n${rows.join("")}`)), ...chunker.end()]
  expect(chunks.length).toBeGreaterThan(5)
  for (const { text } of chunks)
    expect(text).toMatch(/^\| Item \| Note \|\n\| --- \| --- \|(?:\n\| Item \d+ \| .* \|)+$/)
})

it("another file is read whole, up to a limit", async () => {
  expect(await read("docx", docxFile("<w:p><w:r><w:t>Words</w:t></w:r></w:p>"))).toBe("Words\n\n")
  await expect(read("pdf", Buffer.alloc(65 * 1024 * 1024), 1024 * 1024)).rejects.toThrow("it is too large")
})
