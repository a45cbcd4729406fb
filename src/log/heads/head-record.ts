// The format of the head file, without I/O: one line per record, each authenticated on its own, so that records can be
// appended by any process and read in any order. A line that was cut off by a crash is closed with `tornMark`.
import { createHmac } from "node:crypto"

/** The newest event of a session: its number and its hash in the chain. */
export interface Head {
  readonly sessionId: string
  readonly seq: number
  readonly hash: string
}

/** Why the file was written: for a home that had none, or in place of one that was deleted or not genuine. */
export type Origin = "new" | "replaced-missing" | "replaced-invalid" | "accepted"

export interface FileHeader {
  readonly fileId: string
  readonly createdAt: number
  readonly origin: Origin
}

export interface HeadFileContent {
  readonly header: FileHeader | undefined
  readonly heads: ReadonlyMap<string, Head>
  /** Lines, counted from 1, that were not written with this home's key. */
  readonly invalidLines: readonly number[]
}

export type HeadRecord = ({ readonly kind: "head" } & Head) | { readonly kind: "removed"; readonly sessionId: string }

/** Ends a line that a crash has cut off: the next process that appends adds it. */
export const tornMark = "~"

const version = "turnhouse-heads-1"
const origins: readonly Origin[] = ["new", "replaced-missing", "replaced-invalid", "accepted"]
const macLength = 32

export function encodeHeader({ fileId, createdAt, origin }: FileHeader, key: Uint8Array): string {
  return signed(`${version} ${fileId} ${createdAt} ${origin}`, key)
}

/** Bound to its file, so that a record of another home's file is not taken for one of this home. */
export function encodeRecord(record: HeadRecord, fileId: string, key: Uint8Array): string {
  const body = record.kind === "head" ? `h ${record.sessionId} ${record.seq} ${record.hash}` : `r ${record.sessionId}`
  return `${body} ${mac(`${fileId} ${body}`, key)}\n`
}

/** The text of the whole file. Bytes after the last line end are a write that a crash has cut off. */
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

export function decodeRecord(line: string, fileId: string, key: Uint8Array): HeadRecord | undefined {
  const end = line.lastIndexOf(" ")
  const body = line.slice(0, Math.max(0, end))
  if (line.slice(end + 1) !== mac(`${fileId} ${body}`, key)) return undefined
  const [kind, sessionId = "", seq, hash = ""] = body.split(" ")
  if (kind === "r") return { kind: "removed", sessionId }
  return kind === "h" ? { kind: "head", sessionId, seq: Number(seq), hash } : undefined
}

/** Records of one session may be out of order when two processes append: the highest seq counts. */
export function apply(heads: Map<string, Head>, record: HeadRecord): void {
  if (record.kind === "removed") {
    heads.delete(record.sessionId)
    return
  }
  const { sessionId, seq, hash } = record
  if (seq >= (heads.get(sessionId)?.seq ?? 0)) heads.set(sessionId, { sessionId, seq, hash })
}

function signed(body: string, key: Uint8Array): string {
  return `${body} ${mac(body, key)}\n`
}

function mac(text: string, key: Uint8Array): string {
  return createHmac("sha256", key).update(text).digest("hex").slice(0, macLength)
}
