// Small documents of each kind. Files of office programs are their parts, so that what is packed can be changed.

export const kinds = ["text", "csv", "mbox", "html", "pdf", "eml", "docx", "pptx", "xlsx", "odf", "epub"] as const

/** Before the name of a part. */
export const partMark = "=== "

type Parts = Readonly<Record<string, string>>

const relationships = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"

function relation(id: string, type: string, target: string): string {
  return `<Relationship Id="${id}" Type="${relationships}/${type}" Target="${target}"/>`
}

function relations(...all: readonly string[]): string {
  return `<Relationships>${all.join("")}</Relationships>`
}

const word: Parts = {
  "_rels/.rels": relations(
    relation("a", "officeDocument", "word/document.xml"),
    relation("b", "core-properties", "core.xml"),
  ),
  "core.xml": '<cp:coreProperties xmlns:dc="x"><dc:title>Title</dc:title></cp:coreProperties>',
  "word/_rels/document.xml.rels": relations(
    relation("a", "styles", "styles.xml"),
    relation("b", "numbering", "numbering.xml"),
    relation("c", "footnotes", "footnotes.xml"),
  ),
  "word/styles.xml":
    '<w:styles><w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/><w:basedOn w:val="N"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style><w:style w:styleId="N"><w:name w:val="Normal"/></w:style></w:styles>',
  "word/numbering.xml":
    '<w:numbering><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>',
  "word/footnotes.xml":
    '<w:footnotes><w:footnote w:id="2"><w:p><w:r><w:t>A note.</w:t></w:r></w:p></w:footnote></w:footnotes>',
  "word/document.xml":
    '<w:document xmlns:w="x"><w:body><w:p><w:pPr><w:pStyle w:val="H1"/></w:pPr><w:r><w:t>Head</w:t></w:r></w:p><w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>one</w:t><w:tab/><w:br/></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p><w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="2"/><w:vMerge w:val="restart"/></w:tcPr><w:p><w:r><w:t xml:space="preserve"> cell </w:t></w:r></w:p></w:tc><w:tc><w:p/></w:tc></w:tr></w:tbl><w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:ins><w:r><w:t>new &amp; old</w:t></w:r></w:ins></w:p></w:body></w:document>',
}

const slides: Parts = {
  "ppt/presentation.xml":
    '<p:presentation><p:sldIdLst><p:sldId id="256" r:id="r0"/><p:sldId id="257" r:id="r1"/></p:sldIdLst></p:presentation>',
  "ppt/_rels/presentation.xml.rels": relations(
    relation("r0", "slide", "slides/slide1.xml"),
    relation("r1", "slide", "slides/slide2.xml"),
  ),
  "ppt/slides/slide1.xml":
    '<p:sld><p:sp><p:nvPr><p:ph type="title"/></p:nvPr><p:txBody><a:p><a:r><a:t>Title</a:t></a:r></a:p></p:txBody></p:sp><a:tbl><a:tr><a:tc><a:txBody><a:p><a:r><a:t>cell</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl></p:sld>',
  "ppt/slides/slide2.xml":
    '<p:sld show="0"><p:sp><p:txBody><a:p><a:r><a:t>hidden</a:t></a:r><a:br/></a:p></p:txBody></p:sp></p:sld>',
  "ppt/slides/_rels/slide1.xml.rels": relations(relation("n", "notesSlide", "../notes/n1.xml")),
  "ppt/notes/n1.xml":
    '<p:notes><p:sp><p:nvPr><p:ph type="body"/></p:nvPr><p:txBody><a:p><a:r><a:t>A note</a:t></a:r></a:p></p:txBody></p:sp></p:notes>',
}

const sheets: Parts = {
  "xl/workbook.xml":
    '<workbook><workbookPr date1904="1"/><sheets><sheet name="One" sheetId="1" state="visible" r:id="r0"/><sheet name="Two" sheetId="2" state="hidden" r:id="r1"/></sheets></workbook>',
  "xl/_rels/workbook.xml.rels": relations(
    relation("r0", "worksheet", "worksheets/sheet1.xml"),
    relation("r1", "worksheet", "worksheets/sheet2.xml"),
    relation("s", "sharedStrings", "sharedStrings.xml"),
    relation("t", "styles", "/xl/styles.xml"),
  ),
  "xl/sharedStrings.xml": "<sst><si><t>name</t></si><si><r><t>a</t></r><r><t>b</t></r></si></sst>",
  "xl/styles.xml":
    '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="yyyy-mm-dd"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="9"/></cellXfs></styleSheet>',
  "xl/worksheets/sheet1.xml":
    '<worksheet><cols><col min="3" max="3" hidden="1"/></cols><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>x</t></is></c></row><row r="2"><c r="A2" s="1"><v>45000.5</v></c><c r="B2" s="2"><v>0.5</v></c><c r="D2" t="b"><v>1</v></c><c r="E2" t="e"><v>#N/A</v></c><c r="F2" t="str"><f>A1</f><v>f</v></c></row></sheetData><mergeCells><mergeCell ref="A2:B3"/></mergeCells></worksheet>',
  "xl/worksheets/sheet2.xml":
    '<worksheet><sheetData><row r="1" hidden="1"><c><v>1</v></c></row></sheetData></worksheet>',
}

const openText: Parts = {
  mimetype: "application/vnd.oasis.opendocument.text",
  "content.xml":
    '<office:document-content><office:automatic-styles><text:list-style style:name="L"><text:list-level-style-number text:level="1"/></text:list-style></office:automatic-styles><office:body><office:text><text:h text:outline-level="1">Head</text:h><text:list text:style-name="L"><text:list-item><text:p>one<text:s text:c="3"/><text:tab/></text:p></text:list-item></text:list><table:table><table:table-row table:number-rows-repeated="2"><table:table-cell table:number-columns-repeated="2" table:number-columns-spanned="2"><text:p>cell</text:p></table:table-cell></table:table-row></table:table><text:p>x<text:note><text:note-body><text:p>note</text:p></text:note-body></text:note></text:p></office:text></office:body></office:document-content>',
  "meta.xml": "<office:document-meta><office:meta><dc:title>Its title</dc:title></office:meta></office:document-meta>",
}

const openSheet: Parts = {
  mimetype: "application/vnd.oasis.opendocument.spreadsheet",
  "content.xml":
    '<office:document-content><office:body><office:spreadsheet><table:table table:name="One"><table:table-row><table:table-cell office:value-type="float" office:value="1.5"><text:p>1.5</text:p></table:table-cell><table:covered-table-cell/><table:table-cell office:value-type="date" office:date-value="2026-01-02"/></table:table-row></table:table></office:spreadsheet></office:body></office:document-content>',
}

const book: Parts = {
  mimetype: "application/epub+zip",
  "META-INF/container.xml": '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>',
  "OEBPS/book.opf":
    '<package><metadata><dc:title>The Book</dc:title></metadata><manifest><item id="c0" href="one%20.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="c0"/></spine></package>',
  "OEBPS/one .xhtml": "<html><body><h1>One</h1><p>Text.</p></body></html>",
}

const page =
  '<!doctype html><html><head><meta charset="utf-8"><title>T &amp; U</title><base href="https://example.com/a/"></head><body><nav>menu</nav><main><h1>Head</h1><p>one <b>two</b> <a href="b">link</a><br>&eacute;&#x1F600;</p><ul><li>a<ol start="3"><li>b</ul><table><tr><th>x<th>y<tr><td colspan=2>z</table><pre><code class="language-js">a  b</code></pre><blockquote>q</blockquote><img alt="i" src="data:x"><script>no()</script><!-- c --></main></body></html>'

const mail = [
  "From: =?utf-8?B?w6k=?= <a@example.com>",
  "To: b@example.com",
  "Date: Thu, 19 Nov 2026 10:00:00 +0000",
  "Subject: =?iso-8859-1?Q?Hi=E9?=",
  "MIME-Version: 1.0",
  'Content-Type: multipart/mixed; boundary="xx"',
  "",
  "--xx",
  "Content-Type: text/plain; charset=utf-8",
  "Content-Transfer-Encoding: quoted-printable",
  "",
  "Hello=20you.=",
  " More.",
  "> quoted",
  "--xx",
  'Content-Type: text/csv; name="a.csv"',
  "Content-Transfer-Encoding: base64",
  'Content-Disposition: attachment; filename="a.csv"',
  "",
  "YSxiCjEsMgo=",
  "--xx--",
  "",
].join("\r\n")

const pdfPage = "BT /F1 12 Tf 72 700 Td (Hello) Tj 0 -20 Td [(wor) -50 (ld)] TJ ET"
const pdf = pdfOf([
  "<< /Type /Catalog /Pages 2 0 R >>",
  "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
  "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents 5 0 R >>",
  `<< /Length ${pdfPage.length} >>\nstream\n${pdfPage}\nendstream`,
])

const texts: readonly (readonly [kind: (typeof kinds)[number], file: string])[] = [
  ["text", "# Head\n\nA text with ümlauts and 語 😀.\n"],
  ["csv", 'name;"a ""b"""\r\n1;2\n\n"x\ny";3\n'],
  ["mbox", `From a@example.com Thu Nov 19\n${mail.replaceAll("\r\n", "\n")}\n\nFrom b\nSubject: two\n\n>From here\n`],
  ["html", page],
  ["pdf", pdf],
  ["eml", mail],
  ["docx", packed(word)],
  ["pptx", packed(slides)],
  ["xlsx", packed(sheets)],
  ["odf", packed(openText)],
  ["odf", packed(openSheet)],
  ["epub", packed(book)],
]

export const documentSeeds: readonly Uint8Array[] = texts.map(([kind, file]) => Buffer.from(`${kind}\n${file}`))

export const documentWords: readonly string[] = [
  ...kinds,
  ...new Set(
    texts.flatMap(
      ([, file]) => file.match(/<\/?[a-z:A-Z]+|[a-zA-Z:]{1,40}=|Content-[A-Za-z-]{1,40}:|\/[A-Z][A-Za-z]+/g) ?? [],
    ),
  ),
  ..."&amp; &#x0; &#xD800; &#99999999; <![CDATA[ ]]> <!DOCTYPE <!ENTITY <?xml </ /> \u0000 base64 obj endobj xref trailer startxref".split(
    " ",
  ),
]

function packed(parts: Parts): string {
  return Object.entries(parts)
    .map(([name, content]) => `${partMark}${name}\n${content}`)
    .join("\n")
}

function pdfOf(objects: readonly string[]): string {
  let text = "%PDF-1.4\n"
  const places = objects.map((object, at) => {
    const place = text.length
    text += `${at + 1} 0 obj\n${object}\nendobj\n`
    return `${String(place).padStart(10, "0")} 00000 n \n`
  })
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join("")}`
  return `${text}${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`
}
