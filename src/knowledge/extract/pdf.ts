// Text of a PDF file page by page, without scripts and fonts. An unreadable page fails the document: half of it would pass
// for all.
import { getDocumentProxy } from "unpdf"
import { messageOf } from "../../contract/faults.ts"
import { ExtractFault, extractLimits, tooMuchText } from "./extract-limits.ts"

export async function pdfText(file: Buffer, pageEnd: string): Promise<string> {
  try {
    return await textOfPages(file, pageEnd)
  } catch (fault) {
    if (fault instanceof ExtractFault) throw fault
    throw new ExtractFault(`it is damaged: ${messageOf(fault)}`, { cause: fault })
  }
}

async function textOfPages(file: Buffer, pageEnd: string): Promise<string> {
  const document = await opened(file)
  if (document.numPages > extractLimits.pdfPages) throw new ExtractFault(`it has ${document.numPages} pages`)
  let text = ""
  for (let number = 1; number <= document.numPages; number++) {
    const page = await document.getPage(number)
    const { items } = await page.getTextContent()
    text += `${items.map(itemText).join("")}${pageEnd}`
    page.cleanup()
    if (text.length > extractLimits.textLength) throw new ExtractFault(tooMuchText)
  }
  return text
}

async function opened(file: Buffer): ReturnType<typeof getDocumentProxy> {
  try {
    return await getDocumentProxy(new Uint8Array(file), { disableFontFace: true, stopAtErrors: true, verbosity: 0 })
  } catch (fault) {
    if (fault instanceof Error && fault.name === "PasswordException")
      throw new ExtractFault("it is encrypted. Save it without a password", { cause: fault })
    throw fault
  }
}

function itemText(item: object): string {
  const text = "str" in item && typeof item.str === "string" ? item.str : ""
  return "hasEOL" in item && item.hasEOL === true ? `${text}\n` : text
}
