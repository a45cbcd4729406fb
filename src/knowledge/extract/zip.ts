// Reads one part of a zip file; every number in its directory is checked against the file, and a part stops inflating
// at its limit. Kept instead of `fflate`, which allocates the size that a part declares, silently truncates a part that
// declares too little, and inflates more slowly than zlib.
import { inflateRawSync } from "node:zlib"
import { ExtractFault } from "./extract-limits.ts"

const endMark = 0x06054b50
const entryMark = 0x02014b50
const partMark = 0x04034b50
const endLength = 22
const MAX_COMMENT_BYTES = 65_535
const MAX_ENTRIES = 10_000

interface Entry {
  readonly name: string
  readonly method: number
  readonly packed: number
  readonly offset: number
}

/** Undefined if there is no such entry. */
export function zipPart(file: Buffer, name: string, maxBytes: number): Buffer | undefined {
  try {
    const entry = entriesOf(file).find((candidate) => candidate.name === name)
    return entry === undefined ? undefined : unpacked(file, entry, maxBytes)
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
  throw new ExtractFault("it is not a zip file")
}

function unpacked(file: Buffer, { method, packed, offset }: Entry, maxBytes: number): Buffer {
  if (file.readUInt32LE(offset) !== partMark) throw new ExtractFault("it is damaged: an entry is missing")
  const start = offset + 30 + file.readUInt16LE(offset + 26) + file.readUInt16LE(offset + 28)
  const data = file.subarray(start, start + packed)
  if (method === 0 && data.length <= maxBytes) return data
  if (method !== 8) throw new ExtractFault("its compression is not supported")
  try {
    return inflateRawSync(data, { maxOutputLength: maxBytes })
  } catch (fault) {
    const tooLarge = fault instanceof RangeError
    throw new ExtractFault(
      tooLarge ? "it inflates to more than the limit" : "it is damaged: an entry cannot be inflated",
      {
        cause: fault,
      },
    )
  }
}
