// Lines of a text file, in the encoding that it has. The file is streamed; memory is bounded for any size.
import { fstatSync, type BigIntStats } from "node:fs"
import type { FileHandle } from "node:fs/promises"
import { TextReader, type Encoding } from "../files/encoding.ts"
import { fingerprintOf, hashedBytes, newHash, type Fingerprint } from "../files/file-memory.ts"
import { chunksOf, type Beginning } from "../files/open-file.ts"
import type { LineWindow } from "./line-window.ts"

/** Bytes that are read past the size at the start: another program may append as fast as they are read. */
const MAX_GROWTH = 64 * 1024 * 1024

export interface FoundText {
  readonly window: LineWindow
  readonly encoding: Encoding
  readonly stat: BigIntStats
  readonly fingerprint: Fingerprint
  /** Another program changed the file in the meantime. */
  readonly hasChanged: boolean
}

interface OpenText {
  readonly handle: FileHandle
  readonly stat: BigIntStats
  readonly begin: Beginning
}

/** Undefined when the file is not text. Bytes that are not UTF-8 may be far behind the first ones: then it starts again. */
export async function readText(
  file: OpenText,
  encodings: readonly Encoding[],
  newWindow: () => LineWindow,
  signal: AbortSignal,
): Promise<FoundText | undefined> {
  const { handle, stat } = file
  for (const encoding of encodings) {
    const window = newWindow()
    const done = await readInto(window, file, encoding, signal)
    if (done === undefined) continue
    const now = fstatSync(handle.fd, { bigint: true })
    const hasChanged = now.mtimeNs !== stat.mtimeNs || now.size !== stat.size
    return { window, encoding, stat, fingerprint: fingerprintOf(stat, done.hash), hasChanged }
  }
  return undefined
}

/** Undefined when the bytes do not fit the encoding. Small files are read to their end, for the hash. */
async function readInto(
  window: LineWindow,
  { handle, stat, begin }: OpenText,
  encoding: Encoding,
  signal: AbortSignal,
): Promise<{ readonly hash: string | undefined } | undefined> {
  const hash = stat.size <= hashedBytes ? newHash() : undefined
  const reader = new TextReader(encoding)
  let bytes = 0
  for await (const chunk of chunksOf(handle, begin, signal)) {
    const text = reader.push(chunk)
    if (text === undefined) return undefined
    window.push(text)
    hash?.update(chunk)
    bytes += chunk.length
    if (hash === undefined && window.hasMore) return { hash: undefined }
    if (bytes > Number(stat.size) + MAX_GROWTH) return { hash: undefined }
  }
  const rest = reader.push()
  if (rest === undefined) return undefined
  window.push(rest)
  window.end()
  return { hash: hash?.digest("hex") }
}
