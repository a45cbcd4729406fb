// The file beside the database that records the newest event of every session. Reads, appends and compacts it;
// head-recorder.ts decides when.
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
  renameSync,
  statSync,
  unlinkSync,
  write,
  writeSync,
} from "node:fs"
import { dirname } from "node:path"
import { promisify } from "node:util"
import { readBytes, syncFolder, withFile } from "../files.ts"
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

/** Smaller files are not compacted. */
const MIN_COMPACTED_BYTES = 256 * 1024
/** Records per session after which a larger file is compacted. */
const MAX_RECORDS_PER_SESSION = 4
const RECORD_BYTES = 150
/** The first line is shorter than this. */
const HEADER_BYTES = 200

const writeAsync = promisify(write)
const syncAsync = promisify(fdatasync)

interface OpenFile {
  readonly descriptor: number
  readonly header: FileHeader
  /** Writes in progress: they need the descriptor. */
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

  /** Authenticates only this session's lines, so that a large file costs little. */
  find(sessionId: string): Head | undefined {
    const text = readIfThere(this.path)
    if (text === undefined) return undefined
    const end = text.indexOf("\n")
    const lines = text.slice(end).split("\n")
    const own = lines.filter((line, index) => line.startsWith(sessionId, 2) && index < lines.length - 1)
    return decodeHeads([text.slice(0, end), ...own, ""].join("\n"), this.#key).heads.get(sessionId)
  }

  /** Id of the file, opened for appending; undefined if it is missing or was not written with this key. */
  openedId(): string | undefined {
    if (this.#open !== undefined && !isSameFile(this.#open.descriptor, this.path)) this.close()
    this.#open ??= this.#opened()
    return this.#open?.header.fileId
  }

  /** Creates a new file. An existing one that was not written with this key is renamed. */
  create(origin: Origin, heads: Iterable<Head>): void {
    this.close()
    const current = this.read()
    if (current.kind === "read" && current.header === undefined)
      renameSync(this.path, `${this.path}.invalid-${timeInName(Date.now())}`)
    const header = { fileId: randomBytes(8).toString("hex"), createdAt: Date.now(), origin }
    this.#writeWhole(header, "", heads, linkUnlessThere)
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

  /** Bounds the size by the number of sessions. */
  compactIfLarge(countSessions: () => number): void {
    const { size } = fstatSync(this.#needed().descriptor)
    if (size < MIN_COMPACTED_BYTES || size < MAX_RECORDS_PER_SESSION * RECORD_BYTES * countSessions()) return
    this.compact()
  }

  /** Rewrites the file with only the newest record of each session. Keeps invalid lines unless they are accepted. */
  compact(origin?: "accepted"): void {
    const { header: current, descriptor } = this.#needed()
    const header = { ...current, origin: origin ?? current.origin }
    const text = readFileSync(this.path, "latin1")
    const { heads, invalidLines } = decodeHeads(text, this.#key)
    const lines = text.split("\n")
    const kept = origin === "accepted" ? [] : invalidLines.map((number) => `${lines[number - 1] ?? ""}\n`)
    this.#writeWhole(header, kept.join(""), heads.values(), renameSync)
    const late = readBytes(descriptor, text.length, fstatSync(descriptor).size) // appended meanwhile by another process
    this.close()
    if (late.length > 0 && this.openedId() !== undefined) writeSync(this.#needed().descriptor, late)
  }

  /** The descriptor stays open for a write in progress. */
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
    const [first = ""] = readBytes(descriptor, 0, HEADER_BYTES).toString("latin1").split("\n")
    const header = decodeHeader(first, this.#key)
    if (header === undefined) {
      closeSync(descriptor)
      return undefined
    }
    if (readBytes(descriptor, size - 1, 1).toString("latin1") !== "\n") writeSync(descriptor, `${tornMark}\n`)
    return { descriptor, header, pending: 0 }
  }

  /** The file appears whole or not at all. */
  #writeWhole(
    header: FileHeader,
    lines: string,
    heads: Iterable<Head>,
    putInPlace: (aside: string, path: string) => void,
  ): void {
    const newest = Array.from(heads, (head) => encodeRecord({ kind: "head", ...head }, header.fileId, this.#key))
    const aside = `${this.path}.${randomBytes(6).toString("hex")}`
    withFile(aside, "wx", (descriptor) => {
      writeSync(descriptor, encodeHeader(header, this.#key) + lines + newest.join(""))
      fsyncSync(descriptor)
    })
    putInPlace(aside, this.path)
    syncFolder(dirname(this.path))
  }
}

/** A time as part of a file name: 20261116T101530Z. */
export function timeInName(at: number): string {
  return new Date(at).toISOString().replaceAll(/[-:]|\.\d+/g, "")
}

/** Two processes that create the file at the same time get the same file. */
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
