import { describe, expect, it } from "vitest"
import {
  bookFile,
  openDocumentFile,
  presentationFile,
  shape,
  wordFile,
  workbookFile,
} from "../../fixtures/made-office-files.ts"
import { documentText } from "../document-text.ts"
import { docxText } from "./docx.ts"
import { epubText } from "./epub.ts"
import { odfText } from "./odf.ts"
import { pptxText } from "./pptx.ts"
import { xlsxText } from "./xlsx.ts"

const run = (text: string, properties = "") => `<w:r><w:rPr>${properties}</w:rPr><w:t>${text}</w:t></w:r>`
const paragraph = (text: string, properties = "") => `<w:p><w:pPr>${properties}</w:pPr>${run(text)}</w:p>`

describe("a Word document", () => {
  it("has headings by the names and outlines of its styles, in any language", () => {
    const styles = `<w:styles>
      <w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>
      <w:style w:styleId="Ours"><w:name w:val="Ours"/><w:basedOn w:val="berschrift1"/></w:style>
      <w:style w:styleId="Outlined"><w:name w:val="x"/><w:pPr><w:outlineLvl w:val="2"/></w:pPr></w:style>
      <w:style w:styleId="Verzeichnis1"><w:name w:val="toc 1"/></w:style></w:styles>`
    const style = (id: string) => `<w:pStyle w:val="${id}"/>`
    const body = [
      paragraph("Returns ... 1", style("Verzeichnis1")),
      paragraph("Returns", style("berschrift1")),
      paragraph("Fees", style("Ours")),
      paragraph("Details", style("Outlined")),
      paragraph("Plain", style("Unknown")),
    ].join("")
    expect(docxText(wordFile(body, { "word/styles.xml": styles, title: "A draft" }))).toBe(
      "# Returns\n\n# Fees\n\n### Details\n\nPlain\n\n",
    )
  })

  it("has the title of its properties if it begins without one", () => {
    expect(docxText(wordFile(paragraph("Text"), { title: "Handbook" }))).toBe("# Handbook\n\nText\n\n")
  })

  it("has lists, numbered where its numbers are plain", () => {
    const numbering = `<w:numbering><w:abstractNum w:abstractNumId="5">
      <w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl><w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/></w:lvl>
      </w:abstractNum><w:num w:numId="2"><w:abstractNumId w:val="5"/></w:num></w:numbering>`
    const item = (text: string, level: number) =>
      paragraph(text, `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="2"/></w:numPr>`)
    const body = `${item("one", 0)}${item("inner", 1)}${item("two", 0)}${paragraph("After")}`
    expect(docxText(wordFile(body, { "word/numbering.xml": numbering }))).toBe("1. one\n  - inner\n2. two\n\nAfter\n\n")
  })

  it("has its tables, with merged cells and a table inside a cell", () => {
    const cell = (content: string, properties = "") => `<w:tc><w:tcPr>${properties}</w:tcPr>${content}</w:tc>`
    const inner = `<w:tbl><w:tr>${cell(paragraph("x"))}${cell(paragraph("y"))}</w:tr></w:tbl>`
    const body = `<w:tbl>
      <w:tr>${cell(paragraph("Country"))}${cell(paragraph("Cost"), '<w:gridSpan w:val="2"/>')}</w:tr>
      <w:tr>${cell(paragraph("Norway"))}${cell(paragraph("12") + paragraph("net"))}${cell(inner)}</w:tr></w:tbl>`
    expect(docxText(wordFile(body))).toBe("| Country | Cost |  |\n| --- | --- | --- |\n| Norway | 12 net | x y |\n\n")
  })

  it("has its footnotes after the paragraph", () => {
    const notes = `<w:footnotes><w:footnote w:type="separator" w:id="0"><w:p/></w:footnote>
      <w:footnote w:id="3"><w:p><w:r><w:t>Except food.</w:t></w:r></w:p></w:footnote></w:footnotes>`
    const body = `<w:p>${run("Send it back")}<w:r><w:footnoteReference w:id="3"/></w:r>${run(" soon.")}</w:p>`
    expect(docxText(wordFile(body, { "word/footnotes.xml": notes }))).toBe(
      "Send it back[^1] soon.\n\n[^1]: Except food.\n\n",
    )
  })

  it("has no hidden, deleted, moved or duplicate text, and no tab stops", () => {
    const body = `<w:p><w:pPr><w:tabs><w:tab w:val="left"/></w:tabs></w:pPr>${run("Seen")}${run("hidden", "<w:vanish/>")}
      ${run(" too", '<w:vanish w:val="0"/>')}<w:moveFrom>${run("moved")}</w:moveFrom><w:del><w:r><w:delText>no</w:delText></w:r></w:del>
      <mc:AlternateContent><mc:Choice><w:txbxContent>${paragraph("Box")}</w:txbxContent></mc:Choice>
      <mc:Fallback><w:txbxContent>${paragraph("Box")}</w:txbxContent></mc:Fallback></mc:AlternateContent></w:p>`
    expect(docxText(wordFile(body))).toBe("Box\n\nSeen too\n\n")
  })
})

describe("a presentation", () => {
  it("has its slides in their order, with titles, lists, tables and notes", () => {
    const table = `<a:tbl><a:tr><a:tc>${shape("", "Region")}</a:tc><a:tc>${shape("", "Sum")}</a:tc></a:tr>
      <a:tr><a:tc>${shape("", "North")}</a:tc><a:tc>${shape("", "10")}</a:tc></a:tr></a:tbl>`
    const file = presentationFile([
      { shapes: shape("ctrTitle", "Review") + shape("subTitle", "Third quarter") },
      {
        shapes: shape("title", "Numbers") + shape("body", "Up", "Down") + shape("sldNum", "2") + table,
        notes: "Say why.",
      },
    ])
    expect(pptxText(file)).toBe(
      "# Review\n\n## Slide 1: Review\n\nThird quarter\n\n## Slide 2: Numbers\n\n- Up\n- Down\n\n| Region | Sum |\n| --- | --- |\n| North | 10 |\n\nNotes: Say why.\n\n",
    )
  })

  it("has no hidden slides", () => {
    const file = presentationFile([{ shapes: shape("", "Secret"), isHidden: true }, { shapes: shape("", "Public") }])
    expect(pptxText(file)).toBe("## Slide 1\n\nPublic\n\n")
  })
})

const text = (at: string, content: string) => `<c r="${at}" t="inlineStr"><is><t>${content}</t></is></c>`
const header = `<row r="1">${text("A1", "Item")}${text("B1", "Price")}</row>`

describe("a workbook", () => {
  it("has numbers, dates and truth values as they are shown", () => {
    const styles = `<numFmts><numFmt numFmtId="164" formatCode="#,##0.00\\ &quot;€&quot;"/>
      <numFmt numFmtId="165" formatCode="dd\\.mm\\.yyyy;@"/><numFmt numFmtId="166" formatCode="[$$-409]#,##0.0"/></numFmts>
      <cellStyleXfs><xf numFmtId="9"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="165"/>
      <xf numFmtId="10"/><xf numFmtId="22"/><xf numFmtId="20"/><xf numFmtId="166"/></cellXfs>`
    const values = [0.1 + 0.2, 1234.5, 46_344, 0.125, 46_344.4375, 0.4375, 7]
    const cells = values.map((value, style) => `<c s="${style}"><v>${value}</v></c>`).join("")
    const rows = `<row>${"abcdefghi"
      .split("")
      .map((name) => `<c t="str"><v>${name}</v></c>`)
      .join("")}</row>
      <row>${cells}<c t="b"><v>1</v></c><c t="e"><v>#DIV/0!</v></c></row>`
    expect(xlsxText(workbookFile({ sheets: [{ name: "S", rows }], styles }))).toContain(
      "| 0.3 | 1234.50 € | 2026-11-18 | 12.50% | 2026-11-18 10:30 | 10:30 | $7.0 | TRUE | #DIV/0! |",
    )
  })

  it("counts days from 1904 if it says so", () => {
    const rows = `${header}<row>${text("A2", "Start")}<c r="B2" s="0"><v>1</v></c></row>`
    const styles = '<cellXfs><xf numFmtId="14"/></cellXfs>'
    const file = { sheets: [{ name: "S", rows }], styles, properties: '<workbookPr date1904="1"/>' }
    expect(xlsxText(workbookFile(file))).toContain("| Start | 1904-01-02 |")
  })

  it("has shared strings, results of formulas, and lines above a table", () => {
    const strings = "<si><r><t>It</t></r><r><t>em</t></r><rPh><t>x</t></rPh></si><si><t>a | b</t></si>"
    const rows = `<row r="1">${text("A1", "Prices 2026")}</row>
      <row r="3"><c r="A3" t="s"><v>0</v></c>${text("C3", "Price")}</row>
      <row r="4"><c r="A4" t="s"><v>1</v></c><c r="C4"><f>1+1</f><v>2</v></c></row>`
    expect(xlsxText(workbookFile({ sheets: [{ name: "List", rows }], strings }))).toBe(
      "## List\n\nPrices 2026\n\n| Item | Price |\n| --- | --- |\n| a \\| b | 2 |\n\n",
    )
  })

  it("names hidden sheets, and has neither hidden columns nor hidden rows", () => {
    const rows = `<row r="1">${text("A1", "Item")}${text("B1", "Cost")}${text("C1", "Price")}</row>
      <row r="2">${text("A2", "Tea")}${text("B2", "secret")}${text("C2", "5")}</row>
      <row r="3" hidden="1">${text("A3", "Old tea")}${text("C3", "4")}</row>`
    const before = '<cols><col min="2" max="2" hidden="1"/></cols>'
    const sheets = [
      { name: "Prices", rows, before },
      { name: "Margins", rows, state: "veryHidden" },
    ]
    const shown = xlsxText(workbookFile({ sheets }))
    expect(shown).toContain('| Item | Price |\n| --- | --- |\n| Tea | 5 |\n\n[The sheet "Margins" is hidden')
    expect(shown).not.toMatch(/secret|Old tea/)
    const filtered = workbookFile({ sheets: [{ name: "Prices", rows, after: '<autoFilter ref="A1:C3"/>' }] })
    expect(xlsxText(filtered)).toContain("Old tea")
  })

  it("repeats the header row of a long table, and does not cut rows", () => {
    const line = (at: number) => `<row>${text(`A${at}`, `Item ${at}`)}${text(`B${at}`, "x".repeat(60))}</row>`
    const rows = header + Array.from({ length: 100 }, (_, at) => line(at + 2)).join("")
    const blocks = xlsxText(workbookFile({ sheets: [{ name: "S", rows }] }))
      .trim()
      .split("\n\n")
      .slice(1)
    expect(blocks.length).toBeGreaterThan(5)
    for (const block of blocks) {
      expect(block.length).toBeLessThanOrEqual(850)
      expect(block).toMatch(/^\| Item \| Price \|\n\| --- \| --- \|\n(?:\| Item \d+ \| x{60} \|\n?)+$/)
    }
    expect(blocks.join("\n").match(/\| Item \d+ \|/g)).toHaveLength(100)
  })
})

describe("an OpenDocument file", () => {
  it("of text has headings, lists, tables and notes, and no comments, changes or hidden text", () => {
    const styles = '<style:style style:name="T1"><style:text-properties text:display="none"/></style:style>'
    const body = `<text:tracked-changes><text:p>deleted</text:p></text:tracked-changes>
      <text:h text:outline-level="1">Returns</text:h>
      <text:p>Send<text:s text:c="1"/>it<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Except food.</text:p></text:note-body></text:note> back.<office:annotation><text:p>comment</text:p></office:annotation><text:span text:style-name="T1">hidden</text:span></text:p>
      <text:list><text:list-item><text:p>one</text:p><text:list><text:list-item><text:p>inner</text:p></text:list-item></text:list></text:list-item></text:list>
      <table:table><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table>`
    expect(odfText(openDocumentFile("text", styles, body))).toBe(
      "# Returns\n\nSend it[^1] back.\n\n[^1]: Except food.\n\n- one\n  - inner\n\n| a | b |\n| --- | --- |\n\n",
    )
  })

  it("with sheets has what their cells show; repetitions to the end of the sheet are not followed", () => {
    const styles = '<style:style style:name="ta2"><style:table-properties table:display="false"/></style:style>'
    const cell = (shown: string, repeated = 1) =>
      `<table:table-cell table:number-columns-repeated="${repeated}">${shown === "" ? "" : `<text:p>${shown}</text:p>`}</table:table-cell>`
    const row = (cells: string, repeated = 1) =>
      `<table:table-row table:number-rows-repeated="${repeated}">${cells}${cell("", 16_000)}</table:table-row>`
    const rows = `${row(cell("Item") + cell("Price"))}${row(cell("Tea") + cell("5,00 €"))}${row("", 1_048_000)}`
    const body = `<table:table table:name="Prices">${rows}</table:table>
      <table:table table:name="Margins" table:style-name="ta2">${rows}</table:table>`
    expect(odfText(openDocumentFile("spreadsheet", styles, body))).toBe(
      '# Its title\n\n## Prices\n\n| Item | Price |\n| --- | --- |\n| Tea | 5,00 € |\n\n[The sheet "Margins" is hidden and was not read.]\n\n',
    )
  })

  it("of slides has them with their titles and notes", () => {
    const box = (content: string, kind: string) =>
      `<draw:frame presentation:class="${kind}"><draw:text-box><text:p>${content}</text:p></draw:text-box></draw:frame>`
    const body = `<draw:page>${box("Numbers", "title")}${box("Up", "subtitle")}<presentation:notes>${box("Say why.", "notes")}</presentation:notes></draw:page>
      <draw:page>${box("More", "title")}<presentation:notes>${box("", "notes")}</presentation:notes></draw:page>`
    expect(odfText(openDocumentFile("presentation", "", body))).toBe(
      "# Its title\n\n## Slide 1: Numbers\n\nUp\n\nNotes: Say why.\n\n## Slide 2: More\n\n",
    )
  })
})

describe("a book", () => {
  it("has its chapters in reading order, below its title", () => {
    const file = bookFile({
      "two.xhtml": "<html><head><title>Two</title></head><body><p>The end.</p></body></html>",
      "chapter one.xhtml": "<html><body><h1>One</h1><p>Call me Ishmael.</p><script>no()</script></body></html>",
    })
    expect(epubText(file)).toBe("# The Book\n\n## One\n\nCall me Ishmael.\n\n## Two\n\nThe end.\n\n")
  })

  it("with encrypted text is refused, one with obscured fonts is read", () => {
    const encryption = (algorithm: string) => ({
      "META-INF/encryption.xml": `<encryption><EncryptedData><EncryptionMethod Algorithm="${algorithm}"/></EncryptedData></encryption>`,
    })
    const chapters = { "a.xhtml": "<p>Words</p>" }
    expect(() => epubText(bookFile(chapters, encryption("http://www.w3.org/2001/04/xmlenc#aes256-cbc")))).toThrow(
      "it is encrypted",
    )
    expect(epubText(bookFile(chapters, encryption("http://www.idpf.org/2008/embedding")))).toContain("Words")
  })
})

it("a document is read by its kind", async () => {
  expect(await documentText({ kind: "docx", file: wordFile(paragraph("Text")) })).toBe("Text\n\n")
})
