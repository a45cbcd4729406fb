// A potential document: its location, and functions that read its bytes and text on demand. A file is streamed twice, for
// its digest and its text.
import type { Audience } from "../rights.ts"
import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import type { Extractor } from "../extract/extractor.ts"
import { textInPieces } from "../extract/text-in-pieces.ts"
import type { Kind } from "../extract/kinds.ts"

export interface Source {
  /** Path relative to what was added. */
  readonly name: string
  readonly place: string
  /** The added path. */
  readonly root: string
  /** For web pages. */
  readonly url: string | undefined
  mark(): Promise<Mark>
  /** Streamed: plain text is never in memory as a whole. */
  text(): AsyncIterable<string>
  /** Called when the document is in the index as it was read. */
  stored?(): void
}

export interface Mark {
  /** SHA-256 of the bytes: unchanged documents are skipped. */
  readonly hash: string
  readonly bytes: number
}

/** Audience of added documents. Omitted fields keep their stored value; a new document is visible to its organisation. */
export interface AddOptions {
  readonly org: string
  readonly audience: { readonly groups: Audience } | undefined
  readonly sets: readonly string[] | undefined
  /** For documents that are new. */
  readonly ofNew?: { readonly audience: Audience; readonly sets: readonly string[] }
}

/** The document no longer exists where it was, such as a page whose server answers 404. */
export class SourceGone extends Error {
  override readonly name = "SourceGone"
}

/** A file in a folder that is of no known kind: it is counted, which is no failure. */
export class UnknownKind extends Error {
  override readonly name = "UnknownKind"
}

export function unknownSource(name: string, path: string, root: string): Source {
  return { name, place: path, root, url: undefined, mark: async () => refuseKind(), text: refuseKind }
}

function refuseKind(): never {
  throw new UnknownKind()
}

const pieceBytes = 256 * 1024

export function fileSource(name: string, path: string, root: string, kind: Kind, extractor: Extractor): Source {
  const text = () => textInPieces({ name, kind, pieces: pieces(path) }, extractor)
  return { name, place: path, root, url: undefined, mark: () => markOf(pieces(path)), text }
}

export async function markOf(parts: AsyncIterable<Uint8Array>): Promise<Mark> {
  const hash = createHash("sha256")
  let bytes = 0
  for await (const part of parts) {
    hash.update(part)
    bytes += part.byteLength
  }
  return { hash: hash.digest("hex"), bytes }
}

async function* pieces(path: string): AsyncGenerator<Uint8Array> {
  for await (const part of createReadStream(path, { highWaterMark: pieceBytes })) {
    if (part instanceof Uint8Array) yield part
  }
}
