// A potential document: its location, and functions that read its bytes and text on demand. A plain text file is
// streamed twice, for its digest and its text; other files are read whole, up to a limit, and extracted in a worker.
import type { Audience } from "../rights.ts"
import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { readFile, stat } from "node:fs/promises"
import { TextDecoder } from "node:util"
import { ExtractFault, extractLimits } from "../extract/extract-limits.ts"
import type { Extractor } from "../extract/extractor.ts"
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
}

const pieceBytes = 256 * 1024

export function fileSource(name: string, path: string, root: string, kind: Kind, extractor: Extractor): Source {
  const text = kind === "text" ? () => plainText(pieces(path)) : () => extractedText(path, kind, extractor)
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

/** UTF-8, or UTF-16 with a byte order mark. A zero byte means that it is not text. */
export async function* plainText(parts: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined
  for await (const part of parts) {
    decoder ??= new TextDecoder(encodingOf(part), { fatal: true })
    if (decoder.encoding === "utf-8" && part.includes(0)) throw new ExtractFault("it is not a text file")
    yield decoded(() => decoder?.decode(part, { stream: true }))
  }
  yield decoded(() => decoder?.decode())
}

/** Guessed characters would be quoted as if they were the text. */
function decoded(decode: () => string | undefined): string {
  try {
    return decode() ?? ""
  } catch (fault) {
    throw new ExtractFault("it is neither UTF-8 nor UTF-16", { cause: fault })
  }
}

function encodingOf(beginning: Uint8Array): string {
  const [first, second] = beginning
  if (first === 0xff && second === 0xfe) return "utf-16le"
  return first === 0xfe && second === 0xff ? "utf-16be" : "utf-8"
}

async function* extractedText(path: string, kind: Exclude<Kind, "text">, extractor: Extractor): AsyncGenerator<string> {
  const { size } = await stat(path)
  if (size > extractLimits.fileBytes) throw new ExtractFault("it is too large")
  yield await extractor.text({ kind, file: await readFile(path) })
}

async function* pieces(path: string): AsyncGenerator<Uint8Array> {
  for await (const part of createReadStream(path, { highWaterMark: pieceBytes })) {
    if (part instanceof Uint8Array) yield part
  }
}
