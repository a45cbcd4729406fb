// The format of the head file, without I/O: one line per record, each authenticated separately, so that any process can
// append records and their order does not matter.
import { createHmac } from "node:crypto"

/** The newest event of a session: its seq and its hash. */
export interface Head {
  readonly sessionId: string
  readonly seq: number
  readonly hash: string
}

/** Why the file was created: the home had none, or its file was missing or invalid. */
export type Origin = "new" | "replaced-missing" | "replaced-invalid" | "accepted"

export interface FileHeader {
  readonly fileId: string
  readonly createdAt: number
  readonly origin: Origin
}

export interface HeadFileContent {
  readonly header: FileHeader | undefined
  readonly heads: ReadonlyMap<string, Head>
  /** Numbers (from 1) of lines that were not written with this home's key. */
  readonly invalidLines: readonly number[]
}

export type HeadRecord = ({ readonly kind: "head" } & Head) | { readonly kind: "removed"; readonly sessionId: string }

/** Ends a line that a crash cut off; written by the next process that appends. */
export const tornMark = "~"

const version = "turnhouse-heads-1"
const origins: readonly Origin[] = ["new", "replaced-missing", "replaced-invalid", "accepted"]
const macLength = 32

export function encodeHeader({ fileId, createdAt, origin }: FileHeader, key: Uint8Array): string {
  const body = `${version} ${fileId} ${createdAt} ${origin}`
  return `${body} ${mac(body, key)}\n`
}

/** Bound to its file: a record from another home's file is invalid. */
export function encodeRecord(record: HeadRecord, fileId: string, key: Uint8Array): string {
  const body = record.kind === "head" ? `h ${record.sessionId} ${record.seq} ${record.hash}` : `r ${record.sessionId}`
  return `${body} ${mac(`${fileId} ${body}`, key)}\n`
}

/** Decodes the whole file. Bytes after the last line end are a write that a crash cut off. */
export function decodeHeads(text: string, key: Uint8Array): HeadFileContent {
  const [first = "", ...lines] = text.split("\n").slice(0, -1)
  const header = decodeHeader(first, key)
  if (header === undefined) return { header, heads: new Map(), invalidLines: [1] }
  const heads = new Map<string, Head>()
  const invalidLines: number[] = []
  for (const [index, line] of lines.entries()) {
    if (line === "" || line.endsWith(tornMark)) continue
    const record = decodeRecord(line, header.fileId, key)
    if (record === undefined) invalidLines.push(index + 2)
    else apply(heads, record)
  }
  return { header, heads, invalidLines }
}

export function decodeHeader(line: string, key: Uint8Array): FileHeader | undefined {
  const [name, fileId = "", createdAt, originText, tag] = line.split(" ")
  const origin = origins.find((known) => known === originText)
  if (name !== version || origin === undefined) return undefined
  if (tag !== mac(`${name} ${fileId} ${createdAt} ${origin}`, key)) return undefined
  return { fileId, createdAt: Number(createdAt), origin }
}

function decodeRecord(line: string, fileId: string, key: Uint8Array): HeadRecord | undefined {
  const end = line.lastIndexOf(" ")
  const body = line.slice(0, Math.max(0, end))
  if (line.slice(end + 1) !== mac(`${fileId} ${body}`, key)) return undefined
  const [kind, sessionId = "", seq, hash = ""] = body.split(" ")
  if (kind === "r") return { kind: "removed", sessionId }
  return kind === "h" ? { kind: "head", sessionId, seq: Number(seq), hash } : undefined
}

/** Two processes may append records of one session out of order: the highest seq counts. */
function apply(heads: Map<string, Head>, record: HeadRecord): void {
  if (record.kind === "removed") {
    heads.delete(record.sessionId)
    return
  }
  const { sessionId, seq, hash } = record
  if (seq >= (heads.get(sessionId)?.seq ?? 0)) heads.set(sessionId, { sessionId, seq, hash })
}

function mac(text: string, key: Uint8Array): string {
  return createHmac("sha256", key).update(text).digest("hex").slice(0, macLength)
}
