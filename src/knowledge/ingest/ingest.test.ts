import { createServer } from "node:http"
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { Extractor } from "../extract/extractor.ts"
import type { FetchOptions } from "../fetch/fetch-page.ts"
import { docxFile, pdfFile } from "../fixtures/made-files.ts"
import { temporaryIndex, type TemporaryIndex } from "../fixtures/temporary-index.ts"
import { findDocument, listDocuments } from "../index/catalogue.ts"
import { openForReading } from "../index/schema.ts"
import { IndexWriter } from "../index/writer.ts"
import { addDocuments, type Added } from "./add-documents.ts"
import { findSources } from "./find-sources.ts"
import { SourceFault } from "./source-fault.ts"
import type { AddOptions } from "./source.ts"

let index: TemporaryIndex
let extractor: Extractor
let folder: string

beforeEach(() => {
  index = temporaryIndex()
  extractor = new Extractor()
  folder = join(index.folder, "docs")
  mkdirSync(folder)
})
afterEach(async () => {
  await extractor.close()
  index.delete()
})

const everybody: AddOptions = { org: "local", audience: undefined, sets: undefined }

async function add(place = folder, wish = everybody, options: FetchOptions = {}): Promise<readonly Added[]> {
  const writer = new IndexWriter(index.path)
  try {
    return await Array.fromAsync(addDocuments(writer, findSources(place, extractor, options), wish, () => 1))
  } finally {
    writer.close()
  }
}

function file(name: string, content: string | Buffer): void {
  mkdirSync(join(folder, name, ".."), { recursive: true })
  writeFileSync(join(folder, name), content)
}

function told(added: readonly Added[]): readonly string[] {
  return added.map(({ kind, name }) => `${kind} ${name}`)
}

function known(name: string, org = "local") {
  const database = openForReading(index.path)
  try {
    return database === undefined ? undefined : findDocument(database, org, name)
  } finally {
    database?.close()
  }
}

describe("an empty path", () => {
  it("is an error, not the current folder", async () => {
    for (const nothing of ["", "  "]) await expect(add(nothing)).rejects.toThrow(SourceFault)
  })
})

describe("adding a folder", () => {
  it("reports an unreadable folder and continues", async () => {
    file(`${"a/".repeat(70)}far.md`, "Far.")
    file("near.md", "Near.")
    const [closed, near] = await add()
    expect(closed).toEqual({ kind: "refused", name: "a/".repeat(65), reason: "it is nested too deeply" })
    expect(near).toMatchObject({ kind: "added", name: "near.md" })
  })

  it("refuses a text in an invalid encoding, because it could not be quoted", async () => {
    file("latin.txt", Buffer.from("R\u00fcckgabe", "latin1"))
    file("cut.md", Buffer.from("Gru\u00df").subarray(0, 4))
    const reason = "it is neither UTF-8 nor UTF-16"
    expect(await add()).toEqual([
      { kind: "refused", name: "cut.md", reason },
      { kind: "refused", name: "latin.txt", reason },
    ])
  })

  it("adds supported files by their relative path, names those of other formats and skips the rest", async () => {
    file("returns.md", "Send it back.")
    file("sub/page.html", "<p>Words</p>")
    file("sub/deep/note.txt", "A note.")
    file("manual.pdf", pdfFile("Turn it off."))
    file("letter.docx", docxFile("<w:p><w:r><w:t>Dear all.</w:t></w:r></w:p>"))
    file("photo.png", "no")
    file(".hidden.md", "no")
    file("node_modules/x/readme.md", "no")
    symlinkSync("/etc", join(folder, "etc"))
    symlinkSync("/etc/hostname", join(folder, "link.txt"))
    expect(told(await add())).toEqual([
      "added letter.docx",
      "added manual.pdf",
      "skipped photo.png",
      "added returns.md",
      "added sub/deep/note.txt",
      "added sub/page.html",
    ])
  })

  it("again adds only what has changed", async () => {
    file("a.md", "one")
    file("b.md", "two")
    await add()
    file("b.md", "three")
    expect(told(await add())).toEqual(["unchanged a.md", "changed b.md"])
  })

  it("reports an unreadable file, keeps its stored version, and continues", async () => {
    file("a.md", "fine")
    file("b.pdf", pdfFile("Old."))
    await add()
    file("b.pdf", "no PDF any more")
    file("c.txt", Buffer.from([65, 0, 66]))
    file("d.md", "fine as well")
    const added = await add()
    expect(told(added)).toEqual(["unchanged a.md", "refused b.pdf", "refused c.txt", "added d.md"])
    expect(added[2]).toMatchObject({ reason: "it is not a text file" })
    expect(known("b.pdf")?.passages).toBe(1)
    expect(known("c.txt")).toBeUndefined()
  })

  it("keeps the stored audience and sets unless others are given", async () => {
    file("a.md", "one")
    await add(folder, { org: "local", audience: { groups: ["staff"] }, sets: ["handbook"] })
    file("a.md", "two")
    await add()
    expect(known("a.md")).toMatchObject({ audience: ["staff"], sets: ["handbook"] })
    expect(told(await add(folder, { ...everybody, audience: { groups: undefined } }))).toEqual(["changed a.md"])
    expect(known("a.md")).toMatchObject({ audience: undefined, sets: ["handbook"] })
    await add(folder, { ...everybody, audience: { groups: [] }, sets: [] })
    expect(known("a.md")).toMatchObject({ audience: [], sets: [] })
  })

  it("keeps organisations apart, and does not replace a document from another place", async () => {
    file("a.md", "one")
    await add()
    await add(folder, { ...everybody, org: "acme" })
    expect(known("a.md", "acme")).toBeDefined()
    const other = join(index.folder, "other")
    mkdirSync(other)
    writeFileSync(join(other, "a.md"), "another one")
    const [refused] = await add(other)
    expect(refused).toMatchObject({ kind: "refused", name: "a.md" })
    expect(known("a.md")?.source).toBe(join(folder, "a.md"))
  })

  it("reads a file in another encoding by its byte order mark", async () => {
    file("utf16.txt", Buffer.from("\ufeffTee für alle", "utf16le"))
    await add()
    expect(known("utf16.txt")?.passages).toBe(1)
  })
})

describe("adding one file", () => {
  it("uses the file's own name", async () => {
    file("sub/returns.md", "Send it back.")
    expect(told(await add(join(folder, "sub/returns.md")))).toEqual(["added returns.md"])
  })

  it("reports a missing or unsupported file", async () => {
    file("photo.png", "no")
    await expect(add(join(folder, "nothing.md"))).rejects.toThrow("does not exist")
    await expect(add(join(folder, "photo.png"))).rejects.toThrow(/is not supported. Supported: \.md/)
  })
})

describe("adding a list of addresses", () => {
  it("fetches each page, uses its address as its name, and reports failures", async () => {
    const server = createServer((request, response) => {
      if (request.url === "/missing") return void response.writeHead(404).end()
      response.setHeader("content-type", request.url === "/plain" ? "text/plain" : "text/html").end("<h1>Returns</h1>")
    })
    await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready))
    const address = server.address()
    const base = `http://shop.example:${typeof address === "object" ? address?.port : 0}`
    writeFileSync(join(folder, "pages.txt"), `# ours\n${base}/help\n${base}/plain\n${base}/missing\n`)
    const here: FetchOptions = { resolve: async () => ["127.0.0.1"], isAllowed: () => true }
    const added = await add(join(folder, "pages.txt"), everybody, here)
    expect(told(added)).toEqual([`added ${base}/help`, `added ${base}/plain`, `refused ${base}/missing`])
    expect(known(`${base}/help`)).toMatchObject({ url: `${base}/help`, root: join(folder, "pages.txt") })
    expect(told(await add(join(folder, "pages.txt"), everybody, here))[0]).toBe(`unchanged ${base}/help`)
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  })

  it("refuses non-public addresses", async () => {
    writeFileSync(
      join(folder, "inside.urls"),
      "http://127.0.0.1:1/\nhttp://localhost:1/\nhttp://169.254.169.254/latest\n",
    )
    const added = await add(join(folder, "inside.urls"))
    expect(added.map((one) => (one.kind === "refused" ? one.reason : one.kind))).toEqual([
      "127.0.0.1 is not a public address",
      "localhost is not a public address",
      "169.254.169.254 is not a public address",
    ])
  })
})

it("a document deleted from disk stays in the index until it is removed", async () => {
  file("a.md", "one")
  await add()
  rmSync(join(folder, "a.md"))
  await add()
  const database = openForReading(index.path)
  expect(database === undefined ? [] : listDocuments(database, "local").map(({ name }) => name)).toEqual(["a.md"])
  database?.close()
})
