// Text of a PDF, page by page. Runs no scripts and renders no fonts. An unreadable page fails the document, because half
// of it would be quoted as if it were all.
import { ExtractFault, extractLimits } from "./extract-limits.ts"

export async function pdfText(file: Uint8Array): Promise<string> {
  const { getDocumentProxy } = await import("unpdf")
  const document = await getDocumentProxy(file, { disableFontFace: true, stopAtErrors: true, verbosity: 0 })
  if (document.numPages > extractLimits.pdfPages) throw new ExtractFault(`it has ${document.numPages} pages`)
  let text = ""
  for (let number = 1; number <= document.numPages; number++) {
    const page = await document.getPage(number)
    const { items } = await page.getTextContent()
    text += `${items.map(wordsOf).join("")}\n\n`
    page.cleanup()
    if (text.length > extractLimits.textLength) throw new ExtractFault("it contains too much text")
  }
  return text
}

function wordsOf(item: object): string {
  const text = "str" in item && typeof item.str === "string" ? item.str : ""
  return "hasEOL" in item && item.hasEOL === true ? `${text}\n` : text
}
