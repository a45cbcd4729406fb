// Bounds of reading a document that is not plain text. Past any of them the document is refused with a sentence; the
// next one is read as if nothing had happened.
export const extractLimits = {
  /** Bytes of a file that is read as a whole. */
  fileBytes: 64 * 1024 * 1024,
  /** Characters of text that a document may hold. */
  textLength: 32 * 1024 * 1024,
  /** Bytes that one part of a packed file may unfold to. */
  unpackedBytes: 64 * 1024 * 1024,
  pdfPages: 5000,
  /** How long one document may take, and how much memory its reader may have. */
  milliseconds: 60_000,
  heapMegabytes: 768,
} as const

/** The document is at fault, and nobody else. */
export class ExtractFault extends Error {
  override readonly name = "ExtractFault"
}
