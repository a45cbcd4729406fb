// The file with the newest event of every session, beside the database and independent of it. Knows how to read, append
// and compact it; when to do so is decided in head-keeper.ts.
import { randomBytes } from "node:crypto"
import {
  closeSync,
  constants,
  existsSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  unlinkSync,
  write,
  writeSync,
} from "node:fs"
import { dirname } from "node:path"
import { promisify } from "node:util"
import {
  decodeHeader,
  decodeHeads,
  encodeHeader,
  encodeRecord,
  tornMark,
  type FileHeader,
  type Head,
  type HeadFileContent,
  type HeadRecord,
  type Origin,
} from "./head-record.ts"

export type HeadFileState = { readonly kind: "missing" } | ({ readonly kind: "read" } & HeadFileContent)

/** A smaller file is never compacted. */
const MIN_COMPACTED_BYTES = 256 * 1024
/** Records per session that a larger file may hold before it is compacted. */
const MAX_RECORDS_PER_SESSION = 4
const RECORD_BYTES = 150
/** The first line is shorter than this. */
const HEADER_BYTES = 200

const writeAsync = promisify(write)
const syncAsync = promisify(fdatasync)

interface OpenFile {
  readonly descriptor: number
  readonly header: FileHeader
  /** Writes that are under way: they need the descriptor. */
  pending: number
}

export function headFilePath(databasePath: string): string {
  return `${databasePath}-heads`
}

export class HeadFile {
  readonly path: string
  readonly #key: Uint8Array
  #open: OpenFile | undefined

  constructor(path: string, key: Uint8Array) {
    this.path = path
    this.#key = key
  }

  read(): HeadFileState {
    const text = readIfThere(this.path)
    return text === undefined ? { kind: "missing" } : { kind: "read", ...decodeHeads(text, this.#key) }
  }

  /** Only this session's lines are authenticated, so that a large file costs little. */
  find(sessionId: string): Head | undefined {
    const text = readIfThere(this.path)
    if (text === undefined) return undefined
    const end = text.indexOf("\n")
    const lines = text.slice(end).split("\n")
    const own = lines.filter((line, index) => line.startsWith(sessionId, 2) && index < lines.length - 1)
    return decodeHeads([text.slice(0, end), ...own, ""].join("\n"), this.#key).heads.get(sessionId)
  }

  /** Opened for appending; nothing when it is missing or was not written with this key. */
  openedId(): string | undefined {
    if (this.#open !== undefined && !isSameFile(this.#open.descriptor, this.path)) this.close()
    this.#open ??= this.#opened()
    return this.#open?.header.fileId
  }

  /** Puts a new file in place. One that is there and was not written with this key is kept beside it. */
  create(origin: Origin, heads: Iterable<Head>): void {
    this.close()
    const current = this.read()
    if (current.kind === "read" && current.header === undefined)
      renameSync(this.path, `${this.path}.invalid-${timeInName(Date.now())}`)
    const header = { fileId: randomBytes(8).toString("hex"), createdAt: Date.now(), origin }
    const lines = Array.from(heads, (head) => encodeRecord({ kind: "head", ...head }, header.fileId, this.#key))
    this.#writeWhole(encodeHeader(header, this.#key) + lines.join(""), linkUnlessThere)
  }

  /** Durable when it resolves. `openedId` must have returned an id. */
  async append(records: readonly HeadRecord[]): Promise<void> {
    const open = this.#needed()
    open.pending += 1
    try {
      await writeAsync(open.descriptor, this.#encoded(records))
      await syncAsync(open.descriptor)
    } finally {
      open.pending -= 1
      if (open !== this.#open && open.pending === 0) closeSync(open.descriptor)
    }
  }

  appendSync(records: readonly HeadRecord[]): void {
    const { descriptor } = this.#needed()
    writeSync(descriptor, this.#encoded(records))
    fdatasyncSync(descriptor)
  }

  /** Keeps the size within a bound that depends on the number of sessions alone. */
  compactIfLarge(countSessions: () => number): void {
    const { size } = fstatSync(this.#needed().descriptor)
    if (size < MIN_COMPACTED_BYTES || size < MAX_RECORDS_PER_SESSION * RECORD_BYTES * countSessions()) return
    this.compact()
  }

  /** Rewrites the file with only the newest record of each session. Lines that are not genuine stay, unless accepted. */
  compact(origin?: "accepted"): void {
    const { header: current, descriptor } = this.#needed()
    const header = { ...current, origin: origin ?? current.origin }
    const text = readFileSync(this.path, "latin1")
    const { heads, invalidLines } = decodeHeads(text, this.#key)
    const lines = text.split("\n")
    const kept = origin === "accepted" ? [] : invalidLines.map((number) => `${lines[number - 1] ?? ""}\n`)
    const newest = Array.from(heads.values(), (head) =>
      encodeRecord({ kind: "head", ...head }, header.fileId, this.#key),
    )
    this.#writeWhole(encodeHeader(header, this.#key) + kept.join("") + newest.join(""), renameSync)
    const late = readFrom(descriptor, text.length, fstatSync(descriptor).size) // by another process, before the new file was in place
    this.close()
    if (late.length > 0 && this.openedId() !== undefined) writeSync(this.#needed().descriptor, late)
  }

  /** A write that is under way is finished first. */
  close(): void {
    const open = this.#open
    this.#open = undefined
    if (open !== undefined && open.pending === 0) closeSync(open.descriptor)
  }

  #needed(): OpenFile {
    if (this.#open === undefined) throw new Error(`${this.path} is not open`)
    return this.#open
  }

  #encoded(records: readonly HeadRecord[]): string {
    const { fileId } = this.#needed().header
    return records.map((record) => encodeRecord(record, fileId, this.#key)).join("")
  }

  #opened(): OpenFile | undefined {
    if (!existsSync(this.path)) return undefined
    const descriptor = openSync(this.path, constants.O_RDWR | constants.O_APPEND)
    const { size } = fstatSync(descriptor)
    const [first = ""] = readFrom(descriptor, 0, HEADER_BYTES).toString("latin1").split("\n")
    const header = decodeHeader(first, this.#key)
    if (header === undefined) {
      closeSync(descriptor)
      return undefined
    }
    if (readFrom(descriptor, size - 1, 1).toString("latin1") !== "\n") writeSync(descriptor, `${tornMark}\n`)
    return { descriptor, header, pending: 0 }
  }

  /** The file appears whole or not at all. */
  #writeWhole(text: string, putInPlace: (aside: string, path: string) => void): void {
    const aside = `${this.path}.${randomBytes(6).toString("hex")}`
    const descriptor = openSync(aside, "wx", 0o600)
    try {
      writeSync(descriptor, text)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    putInPlace(aside, this.path)
    syncFolder(dirname(this.path))
  }
}

/** A time that can stand in a file name: 20261116T101530Z. */
export function timeInName(at: number): string {
  return new Date(at).toISOString().replaceAll(/[-:]|\.\d+/g, "")
}

/** Two processes that create the file at the same time end up with the same one. */
function linkUnlessThere(aside: string, path: string): void {
  try {
    linkSync(aside, path)
  } catch (error) {
    if (!existsSync(path)) throw error
  } finally {
    unlinkSync(aside)
  }
}

function readIfThere(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "latin1") : undefined
}

function isSameFile(descriptor: number, path: string): boolean {
  const named = statSync(path, { throwIfNoEntry: false })
  return named !== undefined && named.ino === fstatSync(descriptor).ino
}

function readFrom(descriptor: number, offset: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, offset))
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, "r")
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
