import { describe, expect, it } from "vitest"
import { docxFile, zipFile } from "../../fixtures/made-files.ts"
import {
  bookFile,
  openDocumentFile,
  presentationFile,
  relations,
  shape,
  wordFile,
  workbookFile,
} from "../../fixtures/made-office-files.ts"
import { documentText } from "../document-text.ts"
import { ExtractFault } from "../extract-limits.ts"
import type { WholeKind } from "../kinds.ts"
import { ZipFile } from "../zip.ts"
import { docxText } from "./docx.ts"
import { odfText } from "./odf.ts"
import { xlsxText } from "./xlsx.ts"

const paragraph = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`
const samples: readonly (readonly [WholeKind, Buffer])[] = [
  ["docx", wordFile(paragraph("Words"), { title: "T" })],
  ["pptx", presentationFile([{ shapes: shape("title", "Words"), notes: "Said" }])],
  ["xlsx", workbookFile({ sheets: [{ name: "S", rows: '<row><c t="str"><v>Words</v></c></row>' }] })],
  ["odf", openDocumentFile("text", "", "<text:p>Words</text:p>")],
  ["epub", bookFile({ "a.xhtml": "<p>Words</p>" })],
]

describe.for(samples)("a damaged file: %s", ([kind, file]) => {
  it("is refused with a reason wherever it is cut", async () => {
    for (let length = 0; length < file.length; length += 7) {
      const fault = await documentText({ kind, file: file.subarray(0, length) }).catch((thrown: unknown) => thrown)
      expect(fault).toBeInstanceOf(ExtractFault)
    }
  })

  it("is read or refused whichever byte is wrong", async () => {
    const faults: unknown[] = []
    for (let at = 0; at < file.length; at += 11) {
      const broken = Buffer.from(file)
      broken.writeUInt8(broken.readUInt8(at) ^ 0xff, at)
      await documentText({ kind, file: broken }).catch((fault: unknown) => faults.push(fault))
    }
    expect(faults.length).toBeGreaterThan(0)
    expect(faults.filter((fault) => !(fault instanceof ExtractFault))).toEqual([])
  })
})

describe("a file that is not what its name says", () => {
  it.for<readonly [WholeKind, Buffer, string]>([
    ["docx", Buffer.from("%PDF-1.4 ..."), "it is a PDF file. Rename it to .pdf"],
    ["html", Buffer.from("%PDF-1.4 ..."), "it is a PDF file"],
    ["xlsx", Buffer.from("a;b;c"), "it is not a zip file"],
    ["html", zipFile({ a: "b" }), "it is a zip file"],
    ["docx", Buffer.from("d0cf11e0a1b11ae1", "hex"), "Office 2003 or older. Save it as .docx"],
    ["docx", workbookFile({ sheets: [] }), "it is not a Word document"],
    ["pptx", docxFile(""), "it is not a presentation"],
    ["xlsx", docxFile(""), "it is not an Excel workbook"],
    ["odf", docxFile(""), "it is not an OpenDocument file"],
    ["epub", docxFile(""), "it is not an EPUB book"],
  ])("is refused with what it is: %s", async ([kind, file, reason]) => {
    await expect(documentText({ kind, file })).rejects.toThrow(reason)
  })
})

describe("an encrypted file", () => {
  it("is refused, and the reason says so", async () => {
    const compound = Buffer.concat([Buffer.from("d0cf11e0a1b11ae1", "hex"), Buffer.from("EncryptedPackage", "utf16le")])
    const zipped = docxFile(paragraph("Words"))
    const directory = zipped.lastIndexOf(Buffer.from("PK\u0001\u0002", "latin1"))
    zipped.writeUInt16LE(1, directory + 8)
    const open = { mimetype: "x", "content.xml": "?", "META-INF/manifest.xml": "<m><manifest:encryption-data/></m>" }
    for (const [kind, file] of [
      ["docx", compound],
      ["docx", zipped],
      ["odf", zipFile(open)],
    ] as const)
      await expect(documentText({ kind, file })).rejects.toThrow("it is encrypted. Save it without a password")
  })
})

describe("a zip file", () => {
  it("is not unpacked to more than the limit in all its parts together", () => {
    const part = Buffer.alloc(45 * 1024 * 1024)
    const bomb = zipFile({ a: part, b: part, c: part })
    expect(bomb.length).toBeLessThan(1_000_000)
    const zip = new ZipFile(bomb)
    expect([zip.part("a")?.length, zip.part("b")?.length]).toEqual([part.length, part.length])
    expect(() => zip.part("c")).toThrow("inflates to more than the limit")
  })

  it("is only looked into for its own parts: names that leave it and files outside are not followed", () => {
    const parts = {
      "../../etc/passwd": "<w:document>outside</w:document>",
      "word/_rels/document.xml.rels": relations({
        a: ["footnotes", "../../../../etc/passwd"],
        b: ["styles", "http://127.0.0.1/styles.xml"],
      }),
    }
    expect(docxText(wordFile(paragraph("Words"), parts))).toBe("Words\n\n")
  })
})

describe("hostile XML", () => {
  it("has no entities expanded and no external ones read", () => {
    const doctype = `<!DOCTYPE d [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY x SYSTEM "file:///etc/passwd">]>`
    const file = zipFile({ "word/document.xml": `${doctype}<w:document>${paragraph("&b;&x;&amp;")}</w:document>` })
    expect(docxText(file)).toBe("&b;&x;&\n\n")
  })

  it("that is nested without end is refused", () => {
    expect(() => docxText(docxFile("<w:p>".repeat(200_000)))).toThrow("nested too deeply")
  })

  it("cannot make a sheet wide or a table grow by the numbers it names", () => {
    const cell = (at: string) => `<c r="${at}" t="str"><v>x</v></c>`
    const rows = `<row r="1">${cell("A1")}${cell("XFD1")}${cell("ZZZZZZZZZZ1")}</row><row r="999999999">${cell("B9")}</row>`
    expect(xlsxText(workbookFile({ sheets: [{ name: "S", rows }] })).length).toBeLessThan(200)
    const repeated = `<table:table table:name="S"><table:table-row table:number-rows-repeated="1000000000">
      <table:table-cell table:number-columns-repeated="1000000000"><text:p>x</text:p></table:table-cell></table:table-row></table:table>`
    expect(odfText(openDocumentFile("spreadsheet", "", repeated)).length).toBeLessThan(3_000_000)
    const bad = `<text:h text:outline-level="-1">a</text:h><text:p>b<text:s text:c="-5"/></text:p>`
    expect(odfText(openDocumentFile("text", "", bad))).toBe("# a\n\nb\n\n")
    const level = `<w:p><w:pPr><w:numPr><w:ilvl w:val="-3"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>c</w:t></w:r></w:p>`
    expect(docxText(docxFile(level))).toBe("- c\n")
    const span = `<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="1000000000"/></w:tcPr>${paragraph("x")}</w:tc></w:tr></w:tbl>`
    expect(docxText(docxFile(span)).length).toBeLessThan(2000)
  })
})
