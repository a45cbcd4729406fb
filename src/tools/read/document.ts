// Files that are shown as text made from them: PDF documents and notebooks. The lines are numbered like those of a text
// file, so that a long document can be read in parts.
import { messageOf } from "../../contract/faults.ts"
import { extractOnce } from "../../knowledge/extract/extractor.ts"
import { decodedText } from "../files/encoding.ts"
import type { DocumentKind } from "./document-kind.ts"
import { notebookText } from "./notebook.ts"

export type DocumentText =
  | { readonly kind: "text"; readonly text: string; readonly notice: string }
  | { readonly kind: "no"; readonly reason: string }

/** Undefined for a notebook that is none: it is read as text. */
export async function documentText(
  kind: DocumentKind,
  bytes: Buffer,
  signal: AbortSignal,
): Promise<DocumentText | undefined> {
  return kind === "pdf" ? pdfText(bytes, signal) : notebook(bytes)
}

async function pdfText(file: Buffer, signal: AbortSignal): Promise<DocumentText> {
  try {
    const pages = (await extractOnce({ kind: "pdf", file, pageBreaks: true }, signal)).split("\f").slice(0, -1)
    const isEmpty = pages.every((page) => page.trim() === "")
    const text = pages.map((page, index) => `${pageHeading(index + 1, pages.length)}\n${page.trimEnd()}\n`).join("")
    const notice = isEmpty ? "The PDF file has no text, perhaps only scanned pages" : "This is the text of the PDF file"
    return { kind: "text", text, notice: `${notice}; it has ${pages.length} pages.` }
  } catch (fault) {
    return { kind: "no", reason: messageOf(fault) }
  }
}

function pageHeading(page: number, pages: number): string {
  return `--- Page ${page} of ${pages} ---`
}

/** The line of a page's heading, counted from 1; undefined if there is no such page. */
export function lineOfPage(text: string, page: number): number | undefined {
  const at = text.split("\n").findIndex((line) => line.startsWith(`--- Page ${page} of `))
  return at === -1 ? undefined : at + 1
}

function notebook(bytes: Buffer): DocumentText | undefined {
  const text = notebookText(decodedText(bytes)?.text ?? "")
  if (text === undefined) return undefined
  return { kind: "text", text, notice: "This is the text of the notebook; edit changes the JSON of the file." }
}
