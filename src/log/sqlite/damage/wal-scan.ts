// Reads a write-ahead log as SQLite's recovery does, and beyond the point where recovery stops: at the first frame with a
// wrong checksum it silently drops the rest. A frame's stored checksum is the start value of the next one's, so frames
// after a bad one can still be checked.
// Format: https://www.sqlite.org/fileformat2.html#the_write_ahead_log

export type WalVerdict =
  | { readonly kind: "sound"; readonly frames: number }
  | {
      readonly kind: "damaged"
      /** Counted from 1; 0 is the header of the file. */
      readonly badFrame: number
      /** Committed transactions that recovery drops: the one of the bad frame, and those after it. */
      readonly lostTransactions: number
      /** Changes when SQLite restarts the file. */
      readonly generation: string
    }

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
const MAGIC = 0x377f0682

interface Frame {
  readonly isCommit: boolean
  readonly isValid: boolean
  /** Its salts match: it is not a remainder of an older log. */
  readonly isOfThisLog: boolean
}

/** `pageBytes` is used if the header is unreadable. */
export function scanWal(bytes: Uint8Array, pageBytes: number): WalVerdict {
  if (bytes.length < HEADER_BYTES) return { kind: "sound", frames: 0 }
  const wal = new Wal(bytes, pageBytes)
  let frame = 1
  if (wal.hasValidHeader) while (frame <= wal.frames && wal.frame(frame).isValid) frame++
  if (wal.hasValidHeader && frame > wal.frames) return { kind: "sound", frames: wal.frames }
  return judge(wal, wal.hasValidHeader ? frame : 0)
}

/**
 * A power loss can leave any part of the last transaction unwritten, its commit frame included; it was never
 * acknowledged. But a transaction is written only after the previous one was synced: a valid frame of a later
 * transaction proves that the bad frame was once on disk. A frame with matching salts counts as the end of a
 * transaction even if its checksum, which depends on the previous frame, cannot be checked.
 */
function judge(wal: Wal, badFrame: number): WalVerdict {
  let hasEnded = false
  let isProven = false
  let lostTransactions = 1
  for (let number = Math.max(1, badFrame); number <= wal.frames; number++) {
    const { isValid, isCommit, isOfThisLog } = wal.frame(number)
    isProven ||= hasEnded && isValid
    if (hasEnded && isValid && isCommit) lostTransactions += 1
    hasEnded ||= isOfThisLog && isCommit
  }
  if (!isProven) return { kind: "sound", frames: Math.max(0, badFrame - 1) }
  return { kind: "damaged", badFrame, lostTransactions, generation: wal.generation }
}

class Wal {
  readonly hasValidHeader: boolean
  readonly frames: number
  readonly generation: string
  readonly #view: DataView
  readonly #pageBytes: number
  readonly #isLittleEndian: boolean
  readonly #salts: readonly [number, number]

  constructor(bytes: Uint8Array, pageBytes: number) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const magic = this.#view.getUint32(0)
    this.#isLittleEndian = magic !== MAGIC + 1
    const sum = this.#checksum([0, 0], 0, HEADER_BYTES - 8)
    this.hasValidHeader = (magic === MAGIC || magic === MAGIC + 1) && isEqual(sum, this.#pair(24))
    this.#pageBytes = this.hasValidHeader ? this.#view.getUint32(8) : pageBytes
    this.frames = Math.floor((bytes.length - HEADER_BYTES) / (FRAME_HEADER_BYTES + this.#pageBytes))
    // Without a valid header the first frame identifies the log.
    this.#salts = this.hasValidHeader || this.frames === 0 ? this.#pair(16) : this.#pair(HEADER_BYTES + 8)
    this.generation = this.#salts.map((salt) => salt.toString(16).padStart(8, "0")).join("")
  }

  frame(number: number): Frame {
    const at = this.#offset(number)
    const isOfThisLog = isEqual(this.#salts, this.#pair(at + 8))
    const isCommit = this.#view.getUint32(at + 4) !== 0
    return { isOfThisLog, isCommit, isValid: isOfThisLog && this.#fits(number, at) }
  }

  #fits(number: number, at: number): boolean {
    if (number === 1 && !this.hasValidHeader) return false
    const start = this.#pair(number === 1 ? 24 : this.#offset(number - 1) + 16)
    const overHeader = this.#checksum(start, at, 8)
    return isEqual(this.#checksum(overHeader, at + FRAME_HEADER_BYTES, this.#pageBytes), this.#pair(at + 16))
  }

  #offset(number: number): number {
    return HEADER_BYTES + (number - 1) * (FRAME_HEADER_BYTES + this.#pageBytes)
  }

  #pair(at: number): readonly [number, number] {
    return [this.#view.getUint32(at), this.#view.getUint32(at + 4)]
  }

  #checksum([first, second]: readonly [number, number], at: number, length: number): readonly [number, number] {
    let one = first | 0
    let two = second | 0
    for (let offset = at; offset < at + length; offset += 8) {
      one = (one + this.#view.getInt32(offset, this.#isLittleEndian) + two) | 0
      two = (two + this.#view.getInt32(offset + 4, this.#isLittleEndian) + one) | 0
    }
    return [one >>> 0, two >>> 0]
  }
}

function isEqual([one, two]: readonly [number, number], [first, second]: readonly [number, number]): boolean {
  return one === first && two === second
}
