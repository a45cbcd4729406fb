// Text of a document of any kind. Plain text, tables of values and mailboxes are streamed and may have any size; other files
// are read whole, up to a limit, and extracted in a worker.
import { ExtractFault, extractLimits } from "./extract-limits.ts"
import type { Extractor } from "./extractor.ts"
import type { Kind } from "./kinds.ts"
import { messagesOf } from "./mail/mailbox.ts"
import { decodePage } from "./page-encoding.ts"
import { plainText } from "./plain-text.ts"
import { csvText } from "./tables/csv.ts"
import { oneLine } from "./titles.ts"

export interface DocumentBytes {
  readonly kind: Kind
  readonly name: string
  readonly pieces: AsyncIterable<Uint8Array>
  /** From the server of a page. */
  readonly charset?: string | undefined
}

export async function* textInPieces(document: DocumentBytes, extractor: Extractor): AsyncGenerator<string> {
  const { kind, charset } = document
  switch (kind) {
    case "text":
      return yield* letters(document)
    case "csv":
      return yield* csvText(letters(document))
    case "mbox":
      return yield* mailboxText(document, extractor)
    default:
      yield await extractor.text({ kind, file: await whole(document), charset })
  }
}

async function* letters({ pieces, charset }: DocumentBytes): AsyncGenerator<string> {
  if (charset === undefined) yield* plainText(pieces)
  else yield decodePage(await whole({ pieces }), charset)
}

async function whole({ pieces }: Pick<DocumentBytes, "pieces">): Promise<Buffer> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of pieces) {
    parts.push(part)
    bytes += part.byteLength
    if (bytes > extractLimits.fileBytes) throw new ExtractFault("it is too large")
  }
  return Buffer.concat(parts)
}

/** A message that cannot be read is named with the reason, and does not stop the others. */
async function* mailboxText({ name, pieces }: DocumentBytes, extractor: Extractor): AsyncGenerator<string> {
  yield `# ${oneLine(name)}\n\n`
  let number = 0
  for await (const file of messagesOf(pieces)) {
    number += 1
    try {
      yield await extractor.text({ kind: "eml", file, headingLevel: 2 })
    } catch (fault) {
      if (!(fault instanceof ExtractFault)) throw fault
      yield `## Message ${number}\n\n[It cannot be read: ${fault.message}]\n\n`
    }
  }
}
