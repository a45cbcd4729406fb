// Which files are shown as text that is made from them. Apart from document.ts, which is loaded with the first of them.

export type DocumentKind = "pdf" | "notebook"

/** Bytes of a document that is read whole. */
export const MAX_DOCUMENT_BYTES = 32 * 1024 * 1024

export function documentKind(name: string, head: Uint8Array): DocumentKind | undefined {
  if (Buffer.from(head.subarray(0, 5)).equals(Buffer.from("%PDF-"))) return "pdf"
  return name.toLowerCase().endsWith(".ipynb") ? "notebook" : undefined
}
