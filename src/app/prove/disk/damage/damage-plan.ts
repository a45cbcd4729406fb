// Which copy is damaged how: cuts at bytes of the last 64 KiB, spread over them evenly, and flipped bits anywhere.
import { readFileSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pick } from "../../seeded.ts"
import { database, heads, key, wal, type LogFile, type Newest, type Specimen } from "./specimen.ts"

export const CUT_BYTES = 64 * 1024
/** In percent of the damaged copies. */
const CUTS = 70
/** Of the others, one in so many loses a block instead of bits. */
const COPIES_PER_BLOCK = 4
/** Of the disk. */
const BLOCK_BYTES = [512, 4096] as const
const MAX_BITS = 8
/** By how often they are flipped. */
const flippedFiles: readonly LogFile[] = [database, database, database, database, wal, wal, wal, heads, heads, key]

export interface Damaged {
  /** For the table. */
  readonly what: string
  readonly isCut: boolean
  /** For a message. */
  readonly where: string
  readonly apply: (folder: string) => void
  /** What must be read, or named as missing: everything, or what the intact part of the write-ahead log has. */
  readonly expected: () => Promise<Newest>
}

interface Cut {
  readonly file: LogFile
  readonly byte: number
}

/** One for each byte at which a file can be cut. */
export function cutsOf(specimen: Specimen): readonly Cut[] {
  return ([wal, database] as const).flatMap((file) => {
    const size = specimen.sizeOf(file)
    const first = Math.max(0, size - CUT_BYTES)
    return Array.from({ length: size - first }, (_, index) => ({ file, byte: first + index }))
  })
}

/** Damage for so many trials: with enough of them, a cut at each place. The rest are flips. */
export function* damageOf(
  specimen: Specimen,
  trials: number,
  below: (below: number) => number,
): Generator<Damaged, void, void> {
  const cuts = cutsOf(specimen)
  const wanted = Math.min(cuts.length, Math.round((trials * CUTS) / 100))
  const shift = below(cuts.length)
  for (let done = 0, cut = 0; done < trials; done++) {
    const isCut = cut * trials <= done * wanted && cut < wanted
    const place = isCut ? cuts[(shift + Math.floor((cut * cuts.length) / wanted)) % cuts.length] : undefined
    if (place !== undefined) cut += 1
    yield place === undefined ? otherDamage(specimen, below) : cutAt(specimen, place)
  }
}

function cutAt(specimen: Specimen, { file, byte }: Cut): Damaged {
  return {
    what: `${file} cut`,
    isCut: true,
    where: `${file} cut at byte ${byte} of ${specimen.sizeOf(file)}`,
    apply: (folder) => truncateSync(join(folder, file), byte),
    expected: async () => (file === wal ? await specimen.newestAt(byte) : specimen.all),
  }
}

function otherDamage(specimen: Specimen, below: (below: number) => number): Damaged {
  return below(COPIES_PER_BLOCK) === 0 ? lostBlock(specimen, below) : flips(specimen, below)
}

/** A block of zeros, as a disk has it that did not write one. */
function lostBlock(specimen: Specimen, below: (below: number) => number): Damaged {
  const file = pick([database, wal] as const, below)
  const size = pick(BLOCK_BYTES, below)
  const first = below(Math.ceil(specimen.sizeOf(file) / size)) * size
  return {
    what: `${file} zeroed`,
    isCut: false,
    where: `${file} with ${size} bytes of zeros at byte ${first}`,
    apply: (folder) => {
      const bytes = readFileSync(join(folder, file))
      writeFileSync(join(folder, file), bytes.fill(0, first, first + size))
    },
    expected: async () => (file === wal ? await specimen.newestAt(specimen.startOfFrame(first)) : specimen.all),
  }
}

function flips(specimen: Specimen, below: (below: number) => number): Damaged {
  const file = pick(flippedFiles, below)
  const size = specimen.sizeOf(file)
  const bits = Array.from({ length: 1 + below(MAX_BITS) }, () => below(size * 8))
  const first = Math.min(...bits.map((bit) => Math.floor(bit / 8)))
  return {
    what: `${file} flipped`,
    isCut: false,
    where: `${file} with these bits flipped: ${bits.join(", ")}`,
    apply: (folder) => {
      const bytes = readFileSync(join(folder, file))
      for (const bit of bits) {
        const byte = Math.floor(bit / 8)
        bytes.writeUInt8(bytes.readUInt8(byte) ^ (1 << (bit % 8)), byte)
      }
      writeFileSync(join(folder, file), bytes)
    },
    expected: async () => (file === wal ? await specimen.newestAt(specimen.startOfFrame(first)) : specimen.all),
  }
}
