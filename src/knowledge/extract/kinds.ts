// Supported document types, by file extension or media type.
import { extname } from "node:path"

/** Read in pieces of any size, not in a thread. */
type StreamedKind = "text" | "csv" | "mbox"
/** Files of office programs, read whole in a thread. */
type OfficeKind = "docx" | "pptx" | "xlsx" | "odf" | "epub"
export type WholeKind = "html" | "pdf" | "eml" | OfficeKind
export type Kind = StreamedKind | WholeKind

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
    ".docm": "docx",
    ".pptx": "pptx",
    ".pptm": "pptx",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
    ".odt": "odf",
    ".ods": "odf",
    ".odp": "odf",
    ".epub": "epub",
    ".eml": "eml",
    ".mbox": "mbox",
    ".csv": "csv",
    ".tsv": "csv",
  }),
)

const openXml = "application/vnd.openxmlformats-officedocument"
const openDocument = "application/vnd.oasis.opendocument"

/** Maps, because a media type may be named like a property of every object. */
const byMediaType: ReadonlyMap<string, Kind> = new Map(
  Object.entries<Kind>({
    "text/plain": "text",
    "text/markdown": "text",
    "text/x-markdown": "text",
    "text/html": "html",
    "application/xhtml+xml": "html",
    "application/pdf": "pdf",
    [`${openXml}.wordprocessingml.document`]: "docx",
    [`${openXml}.presentationml.presentation`]: "pptx",
    [`${openXml}.spreadsheetml.sheet`]: "xlsx",
    [`${openDocument}.text`]: "odf",
    [`${openDocument}.spreadsheet`]: "odf",
    [`${openDocument}.presentation`]: "odf",
    "application/epub+zip": "epub",
    "message/rfc822": "eml",
    "application/mbox": "mbox",
    "text/csv": "csv",
    "text/tab-separated-values": "csv",
  }),
)

const officeKinds: ReadonlySet<Kind> = new Set<OfficeKind>(["docx", "pptx", "xlsx", "odf", "epub"])

export const readableEndings: readonly string[] = [...byEnding.keys()]

export function kindOfName(name: string): Kind | undefined {
  return byEnding.get(extname(name).toLowerCase())
}

export function kindOfMediaType(mediaType: string): Kind | undefined {
  return byMediaType.get((mediaType.split(";")[0] ?? "").trim().toLowerCase())
}

export function isOfficeKind(kind: Kind): kind is OfficeKind {
  return officeKinds.has(kind)
}
