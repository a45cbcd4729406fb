import { randomBytes } from "node:crypto"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { docxFile, pdfFile, pdfOfBlanks, zipFile } from "../fixtures/made-files.ts"
import { ExtractFault } from "./extract-limits.ts"
import { Extractor } from "./extractor.ts"
import { pageContentText } from "./html-markdown.ts"
import { kindOfMediaType } from "./kinds.ts"
import { ZipFile } from "./zip.ts"

let extractor: Extractor

beforeEach(() => (extractor = new Extractor()))
afterEach(() => extractor.close())

function textOf(kind: "html" | "pdf" | "docx", file: string | Uint8Array): Promise<string> {
  return extractor.text({ kind, file: typeof file === "string" ? Buffer.from(file) : file })
}

describe("the media type of a page", () => {
  it("is looked up without its parameters, and is no property of every object", () => {
    expect(kindOfMediaType("Text/HTML; charset=utf-8")).toBe("html")
    for (const type of ["constructor", "__proto__", "toString", ""]) expect(kindOfMediaType(type)).toBeUndefined()
  })
})

describe("a page", () => {
  it("becomes text with headings, paragraphs and lists", () => {
    const html = `<!doctype html><html><head><title>T</title><style>p{}</style></head><body>
      <h1>Returns &amp; refunds</h1><p>Send it\n  <b>back</b> within&nbsp;30 days.</p>
      <ul><li>unused</li><li>complete</li></ul><table><tr><th>a</th><td>b</td></tr></table>
      <pre>  kept\n   so</pre></body></html>`
    expect(pageContentText(html)).toBe(
      "# Returns & refunds\n\nSend it back within 30 days.\n\n- unused\n- complete\n\n| a | b |\n| --- | --- |\n\n```\n  kept\n   so\n```\n",
    )
  })

  it("excludes what a reader does not see", () => {
    const html = `<p>seen</p><script>alert("a")</script><p hidden>b <i>c</i></p><template><p>d</p></template>
      <noscript>e</noscript><!-- f --><svg><text>g</text></svg><p>also seen</p>`
    expect(pageContentText(html)).toBe("seen\n\nalso seen\n")
  })

  it("is decoded in its own encoding", async () => {
    const words = "<p>R\u00fcckgabe</p>"
    const latin = Buffer.from(words, "latin1")
    const read = (file: Buffer, charset?: string) => extractor.text({ kind: "html", file, charset })
    const meta = Buffer.from('<meta charset="iso-8859-1">')
    const all = [
      await read(Buffer.from(words)),
      await read(latin),
      await read(latin, "ISO-8859-1"),
      await read(latin, "no-such-letters"),
      await read(Buffer.concat([meta, latin])),
      await read(Buffer.concat([meta, Buffer.from(words)]), "utf-8"),
      await read(Buffer.from(`\ufeff${words}`, "utf16le")),
    ]
    expect(new Set(all)).toEqual(new Set(["R\u00fcckgabe\n"]))
  })

  it("full of blanks is read in linear time", () => {
    expect(pageContentText(`<pre>${" ".repeat(1_000_000)}x</pre>`)).toMatch(/ x\n```\n$/)
  })

  it("that is malformed or deeply nested is read as far as possible", () => {
    expect(pageContentText("<p>one<p>two</div></p><b>three")).toContain("two")
    expect(pageContentText(`${"<div>".repeat(3000)}deep`)).toBe("deep\n")
  })
})

describe("a Word document", () => {
  it("becomes text with headings", async () => {
    const body = `<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Returns</w:t></w:r></w:p>
      <w:p><w:r><w:t xml:space="preserve">Send it </w:t></w:r><w:r><w:t>back &amp; wait.</w:t></w:r>
      <w:del><w:r><w:delText>never</w:delText></w:r></w:del></w:p>`
    expect(await textOf("docx", docxFile(body))).toBe("# Returns\n\nSend it back & wait.\n\n")
  })

  it("that inflates to more than the limit is refused", async () => {
    const bomb = zipFile({ "word/document.xml": Buffer.alloc(80 * 1024 * 1024, 32) })
    expect(bomb.length).toBeLessThan(200_000)
    await expect(textOf("docx", bomb)).rejects.toThrow("inflates to more than the limit")
  })

  it("that is damaged, or another file, is refused with a reason", async () => {
    const whole = docxFile("<w:p><w:r><w:t>Some words.</w:t></w:r></w:p>")
    await expect(textOf("docx", "no zip at all")).rejects.toThrow("not a zip file")
    await expect(textOf("docx", zipFile({ "other.xml": "x" }))).rejects.toThrow("no main part")
    const faults: unknown[] = []
    for (let at = 0; at < whole.length; at += 3) {
      const broken = Buffer.from(whole)
      broken.writeUInt8(broken.readUInt8(at) ^ 0xff, at)
      await textOf("docx", broken).catch((fault: unknown) => faults.push(fault))
    }
    expect(faults.length).toBeGreaterThan(0)
    expect(faults.every((fault) => fault instanceof ExtractFault)).toBe(true)
  })

  it("whose directory points outside the file is refused", () => {
    const lying = docxFile("")
    lying.writeUInt32LE(0xfffffff0, lying.length - 6)
    expect(() => new ZipFile(lying)).toThrow(ExtractFault)
  })
})

describe("a PDF", () => {
  it("becomes the text of its pages", async () => {
    const text = await textOf("pdf", pdfFile("Send it back within 30 days.", "Second page."))
    expect(text).toBe("Send it back within 30 days.\n\nSecond page.\n\n")
  })

  it("that is invalid is refused, and the next one is read", async () => {
    await expect(textOf("pdf", randomBytes(5000))).rejects.toThrow(ExtractFault)
    await expect(textOf("pdf", "%PDF-1.4\n%%EOF")).rejects.toThrow(ExtractFault)
    expect(await textOf("pdf", pdfFile("Fine."))).toBe("Fine.\n\n")
  })
})

describe("a document that exceeds a limit", () => {
  it("of time is refused, and the next one is read", async () => {
    const impatient = new Extractor({ milliseconds: 1 })
    const large = Buffer.from(`<p>${"word ".repeat(2_000_000)}</p>`)
    await expect(impatient.text({ kind: "html", file: large })).rejects.toThrow("too long")
    await impatient.close()
    expect(await textOf("html", "<p>Fine.</p>")).toBe("Fine.\n")
  })

  it("of heap memory is refused, and the host survives", async () => {
    const poor = new Extractor({ heapMegabytes: 24 })
    const large = Buffer.from("<p>word</p>".repeat(2_000_000))
    await expect(poor.text({ kind: "html", file: large })).rejects.toThrow("too much memory")
    await poor.close()
  })

  it("of buffer memory is refused", async () => {
    const poor = new Extractor({ heapMegabytes: 256 })
    const bomb = pdfOfBlanks(1500)
    expect(bomb.length).toBeLessThan(2_000_000)
    await expect(poor.text({ kind: "pdf", file: bomb })).rejects.toThrow("too much memory")
    await poor.close()
  })

  it("of file size is refused without reading it", async () => {
    await expect(textOf("pdf", new Uint8Array(65 * 1024 * 1024))).rejects.toThrow("too large")
  })
})
