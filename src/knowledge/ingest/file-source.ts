// Files as sources. Plain text is streamed twice: for its digest and for its text. Other files are read whole, up to a
// limit, and extracted in a worker.
import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { readFile, stat } from "node:fs/promises"
import { TextDecoder } from "node:util"
import { ExtractFault, extractLimits } from "../extract/extract-limits.ts"
import type { Extractor } from "../extract/extractor.ts"
import type { Kind } from "../extract/kinds.ts"
import type { Mark, Source } from "./source.ts"

const pieceBytes = 256 * 1024

export interface FilePlace {
  readonly name: string
  readonly path: string
  readonly root: string
  readonly kind: Kind
}

export function fileSource({ name, path, root, kind }: FilePlace, extractor: Extractor): Source {
  const words = kind === "text" ? () => plainWords(pieces(path)) : () => extractedWords(path, kind, extractor)
  return { name, place: path, root, url: undefined, mark: () => markOf(pieces(path)), words }
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
export async function* plainWords(parts: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
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

async function* extractedWords(
  path: string,
  kind: Exclude<Kind, "text">,
  extractor: Extractor,
): AsyncGenerator<string> {
  const { size } = await stat(path)
  if (size > extractLimits.fileBytes) throw new ExtractFault("it is too large")
  yield await extractor.text({ kind, file: await readFile(path) })
}

async function* pieces(path: string): AsyncGenerator<Uint8Array> {
  for await (const part of createReadStream(path, { highWaterMark: pieceBytes })) {
    if (part instanceof Uint8Array) yield part
  }
}
