// Worker thread that extracts text. Documents are untrusted: a worker that hangs or grows can be terminated.
import { messageOf } from "../../contract/faults.ts"
import { parentPort, type MessagePort } from "node:worker_threads"
import { docxText } from "./docx.ts"
import { ExtractFault, extractLimits } from "./extract-limits.ts"
import type { ExtractAnswer, ExtractRequest } from "./extractor.ts"
import { htmlMarkdown } from "./html-markdown.ts"
import { htmlText } from "./html.ts"
import { decodePage } from "./page-encoding.ts"

if (parentPort !== null) serve(parentPort)

function serve(port: MessagePort): void {
  port.on("message", (request: ExtractRequest) => {
    void answerTo(request).then((answer) => port.postMessage(answer))
  })
}

async function answerTo(request: ExtractRequest): Promise<ExtractAnswer> {
  try {
    return { text: await textOf(request) }
  } catch (fault) {
    return { fault: messageOf(fault) }
  }
}

async function textOf({ kind, file, charset, base, pageBreaks = false }: ExtractRequest): Promise<string> {
  switch (kind) {
    case "html":
      return pageText(decodePage(file, charset), base)
    case "docx":
      return docxText(Buffer.from(file.buffer, file.byteOffset, file.byteLength))
    case "pdf":
      return pdfText(file, pageBreaks ? "\f" : "\n\n")
  }
}

function pageText(html: string, base: string | undefined): string {
  if (base === undefined) return htmlText(html)
  const { title, text } = htmlMarkdown(html, base)
  return `${title}\n${text}`
}

/** Page by page, without scripts and fonts. An unreadable page fails the document: half of it would pass for all. */
async function pdfText(file: Uint8Array, pageEnd: string): Promise<string> {
  const { getDocumentProxy } = await import("unpdf")
  const document = await getDocumentProxy(file, { disableFontFace: true, stopAtErrors: true, verbosity: 0 })
  if (document.numPages > extractLimits.pdfPages) throw new ExtractFault(`it has ${document.numPages} pages`)
  let text = ""
  for (let number = 1; number <= document.numPages; number++) {
    const page = await document.getPage(number)
    const { items } = await page.getTextContent()
    text += `${items.map(itemText).join("")}${pageEnd}`
    page.cleanup()
    if (text.length > extractLimits.textLength) throw new ExtractFault("it contains too much text")
  }
  return text
}

function itemText(item: object): string {
  const text = "str" in item && typeof item.str === "string" ? item.str : ""
  return "hasEOL" in item && item.hasEOL === true ? `${text}\n` : text
}
