// Reads parts of a zip file; every number in its directory is checked against the file, a part stops inflating at its
// limit, and all parts together at theirs. Names are only looked up: nothing is written. Kept instead of `fflate`, which
// allocates the size that a part declares, silently truncates a part that declares too little, and inflates more slowly
// than zlib.
import { inflateRawSync } from "node:zlib"
import { ExtractFault, extractLimits } from "./extract-limits.ts"

const endMark = 0x06054b50
const entryMark = 0x02014b50
const partMark = 0x04034b50
const endLength = 22
const MAX_COMMENT_BYTES = 65_535
const MAX_ENTRIES = 10_000

interface Entry {
  readonly name: string
  readonly isEncrypted: boolean
  readonly method: number
  readonly packed: number
  readonly offset: number
}

export class ZipFile {
  readonly #file: Buffer
  readonly #entries: ReadonlyMap<string, Entry>
  #bytesLeft: number = extractLimits.unpackedTotalBytes

  constructor(file: Buffer) {
    this.#file = file
    // Of two entries with one name the first is meant: readers disagree about the second.
    this.#entries = new Map(checked(() => entriesOf(file).map((entry) => [entry.name, entry] as const)).toReversed())
  }

  has(name: string): boolean {
    return this.#entries.has(name)
  }

  /** Undefined if there is no such entry. */
  part(name: string): Buffer | undefined {
    const entry = this.#entries.get(name)
    if (entry === undefined) return undefined
    if (entry.isEncrypted) throw new ExtractFault("it is encrypted. Save it without a password")
    const maxBytes = Math.min(extractLimits.unpackedBytes, this.#bytesLeft)
    const part = checked(() => unpacked(this.#file, entry, maxBytes))
    this.#bytesLeft -= part.length
    return part
  }
}

function checked<Result>(read: () => Result): Result {
  try {
    return read()
  } catch (fault) {
    if (fault instanceof ExtractFault) throw fault
    throw new ExtractFault("it is damaged: an entry is out of range", { cause: fault })
  }
}

function entriesOf(file: Buffer): readonly Entry[] {
  const end = endOf(file)
  const count = Math.min(file.readUInt16LE(end + 10), MAX_ENTRIES)
  const entries: Entry[] = []
  for (let at = file.readUInt32LE(end + 16); entries.length < count;) {
    if (file.readUInt32LE(at) !== entryMark) throw new ExtractFault("it is damaged: its directory is invalid")
    const nameLength = file.readUInt16LE(at + 28)
    entries.push({
      name: file.toString("utf8", at + 46, at + 46 + nameLength),
      isEncrypted: (file.readUInt16LE(at + 8) & 1) === 1,
      method: file.readUInt16LE(at + 10),
      packed: file.readUInt32LE(at + 20),
      offset: file.readUInt32LE(at + 42),
    })
    at += 46 + nameLength + file.readUInt16LE(at + 30) + file.readUInt16LE(at + 32)
  }
  return entries
}

function endOf(file: Buffer): number {
  const first = Math.max(0, file.length - endLength - MAX_COMMENT_BYTES)
  for (let at = file.length - endLength; at >= first; at--) if (file.readUInt32LE(at) === endMark) return at
  throw new ExtractFault("it is damaged: its directory is missing")
}

function unpacked(file: Buffer, { method, packed, offset }: Entry, maxBytes: number): Buffer {
  if (file.readUInt32LE(offset) !== partMark) throw new ExtractFault("it is damaged: an entry is missing")
  const start = offset + 30 + file.readUInt16LE(offset + 26) + file.readUInt16LE(offset + 28)
  const data = file.subarray(start, start + packed)
  if (method === 0 && data.length <= maxBytes) return data
  if (method !== 0 && method !== 8) throw new ExtractFault("its compression is not supported")
  try {
    if (method === 0 || maxBytes <= 0) throw new RangeError("too large")
    return inflateRawSync(data, { maxOutputLength: maxBytes })
  } catch (fault) {
    const isTooLarge = fault instanceof RangeError
    throw new ExtractFault(
      isTooLarge ? "it inflates to more than the limit" : "it is damaged: an entry cannot be inflated",
      { cause: fault },
    )
  }
}
