// Worker thread that extracts text. Documents are untrusted: a worker that hangs or grows can be terminated.
import { parentPort, type MessagePort } from "node:worker_threads"
import { docxText } from "./docx.ts"
import type { ExtractAnswer, ExtractRequest } from "./extractor.ts"
import { htmlText } from "./html.ts"
import { pageLetters } from "./page-encoding.ts"
import { pdfText } from "./pdf.ts"

if (parentPort !== null) serve(parentPort)

function serve(port: MessagePort): void {
  port.on("message", (request: ExtractRequest) => void answer(port, request))
}

async function answer(port: MessagePort, request: ExtractRequest): Promise<void> {
  port.postMessage(await answered(request))
}

async function answered(request: ExtractRequest): Promise<ExtractAnswer> {
  try {
    return { text: await textOf(request) }
  } catch (fault) {
    return { fault: fault instanceof Error ? fault.message : String(fault) }
  }
}

async function textOf({ kind, file, charset }: ExtractRequest): Promise<string> {
  switch (kind) {
    case "html":
      return htmlText(pageLetters(file, charset))
    case "docx":
      return docxText(Buffer.from(file.buffer, file.byteOffset, file.byteLength))
    case "pdf":
      return pdfText(file)
  }
}
