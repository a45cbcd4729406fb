// Limits of extracting text from a document. A document past a limit is refused; the next one is not affected.
export const extractLimits = {
  /** Bytes of a file that is read whole. */
  fileBytes: 64 * 1024 * 1024,
  /** Characters of extracted text. */
  textLength: 32 * 1024 * 1024,
  /** Bytes that one zip entry may inflate to. */
  unpackedBytes: 64 * 1024 * 1024,
  pdfPages: 5000,
  /** Time and memory for one document. */
  milliseconds: 60_000,
  heapMegabytes: 768,
} as const

/** The document cannot be extracted. */
export class ExtractFault extends Error {
  override readonly name = "ExtractFault"
}
