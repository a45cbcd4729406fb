// Text of one document that is read whole, as Markdown.
import { ExtractFault, extractLimits } from "./extract-limits.ts"
import type { ExtractRequest } from "./extractor.ts"
import { htmlMarkdown, pageContentText } from "./html-markdown.ts"
import type { Kind } from "./kinds.ts"
import { decodePage } from "./page-encoding.ts"
import { checkSignature } from "./signature.ts"

/** A message attached to a message is read, one attached to that is only named. */
const MAX_ATTACHED_DEPTH = 2

export async function documentText(request: ExtractRequest, depth = 0): Promise<string> {
  const { kind, charset, base, pageBreaks = false, headingLevel = 1 } = request
  const file = Buffer.from(request.file.buffer, request.file.byteOffset, request.file.byteLength)
  checkSignature(kind, file)
  switch (kind) {
    case "html":
      return pageText(decodePage(file, charset), base)
    case "pdf":
      return (await import("./pdf.ts")).pdfText(file, pageBreaks ? "\f" : "\n\n")
    case "docx":
      return (await import("./office/docx.ts")).docxText(file)
    case "pptx":
      return (await import("./office/pptx.ts")).pptxText(file)
    case "xlsx":
      return (await import("./office/xlsx.ts")).xlsxText(file)
    case "odf":
      return (await import("./office/odf.ts")).odfText(file)
    case "epub":
      return (await import("./office/epub.ts")).epubText(file)
    case "eml": {
      const { messageText } = await import("./mail/message.ts")
      return messageText(file, headingLevel, (attached, content) => attachmentText(attached, content, depth + 1))
    }
  }
}

function pageText(html: string, base: string | undefined): string {
  if (base === undefined) return pageContentText(html)
  const { title, text } = htmlMarkdown(html, base)
  return `${title}\n${text}`
}

async function attachmentText(kind: Kind, file: Buffer, depth: number): Promise<string> {
  if (depth > MAX_ATTACHED_DEPTH) throw new ExtractFault("it is nested too deeply")
  if (file.length > extractLimits.fileBytes) throw new ExtractFault("it is too large")
  switch (kind) {
    case "mbox":
      throw new ExtractFault("a mailbox inside a message is not read")
    case "text":
      return decodePage(file, undefined)
    case "csv": {
      const { csvText } = await import("./tables/csv.ts")
      return (await Array.fromAsync(csvText(onePiece(decodePage(file, undefined))))).join("")
    }
    default:
      return documentText({ kind, file, headingLevel: 3 }, depth)
  }
}

async function* onePiece(text: string): AsyncGenerator<string> {
  yield text
}
