// Limits of extracting text from a document. A document past a limit is refused; the next one is not affected.
export const extractLimits = {
  /** Bytes of a file that is read whole. */
  fileBytes: 64 * 1024 * 1024,
  /** Characters of extracted text. */
  textLength: 32 * 1024 * 1024,
  /** Bytes that one zip entry, and those of one file together, may inflate to. */
  unpackedBytes: 64 * 1024 * 1024,
  unpackedTotalBytes: 128 * 1024 * 1024,
  /** Elements inside each other in an XML part. */
  xmlDepth: 1000,
  pdfPages: 5000,
  /** Columns of a table; further ones are left out. */
  tableColumns: 256,
  /** Bytes of one message; the rest of it is left out. */
  messageBytes: 32 * 1024 * 1024,
  /** Messages of a mailbox. */
  messages: 200_000,
  /** Attachments of a message that are read; further ones are only named. */
  attachments: 20,
  /** Time and memory for one document. */
  milliseconds: 60_000,
  heapMegabytes: 768,
} as const

/** The document cannot be extracted. */
export class ExtractFault extends Error {
  override readonly name = "ExtractFault"
}

export const tooMuchText = "it contains too much text"
