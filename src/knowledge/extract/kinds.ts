// Supported document types, by file extension or media type.
import { extname } from "node:path"

export type Kind = "text" | "html" | "pdf" | "docx"

const byEnding: ReadonlyMap<string, Kind> = new Map(
  Object.entries<Kind>({
    ".md": "text",
    ".markdown": "text",
    ".txt": "text",
    ".text": "text",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".pdf": "pdf",
    ".docx": "docx",
  }),
)

/** Maps, because a media type may be named like a property of every object. */
const byMediaType: ReadonlyMap<string, Kind> = new Map(
  Object.entries<Kind>({
    "text/plain": "text",
    "text/markdown": "text",
    "text/x-markdown": "text",
    "text/html": "html",
    "application/xhtml+xml": "html",
    "application/pdf": "pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  }),
)

export const readableEndings: readonly string[] = [...byEnding.keys()]

export function kindOfName(name: string): Kind | undefined {
  return byEnding.get(extname(name).toLowerCase())
}

export function kindOfMediaType(mediaType: string): Kind | undefined {
  return byMediaType.get((mediaType.split(";")[0] ?? "").trim().toLowerCase())
}
