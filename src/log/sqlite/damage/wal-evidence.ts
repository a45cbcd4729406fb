// Checks the write-ahead log before SQLite opens it. SQLite drops damaged parts silently; they are copied first and
// reported. The copy stays beside the database until the user deletes it.
import { constants, copyFileSync, existsSync, readdirSync, readFileSync, renameSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { readBytes, withFile } from "../../files.ts"
import { timeInName } from "../../heads/head-file.ts"
import { scanWal, type WalVerdict } from "./wal-scan.ts"

const USUAL_PAGE_BYTES = 4096
const HEADER_BYTES = 32
const copyMark = "-wal.damaged-"
const acceptedMark = "-wal.accepted-"

/** Copies a damaged write-ahead log and warns. Another process may write to the log meanwhile. */
export function keepDamagedWal(databasePath: string, warn: (message: string) => void): void {
  const wal = `${databasePath}-wal`
  const verdict = verdictOn(wal, databasePath)
  if (verdict.kind === "sound") return
  const { badFrame, generation, lostTransactions } = verdict
  const known = [...copiesOf(databasePath, copyMark), ...copiesOf(databasePath, acceptedMark)]
  if (known.some((path) => path.endsWith(generation))) return // already copied by another process
  const copy = `${databasePath}${copyMark}${timeInName(Date.now())}-${generation}`
  copyFileSync(wal, copy, constants.COPYFILE_FICLONE)
  const where = badFrame === 0 ? "its header" : `frame ${badFrame}`
  const lost = `committed transactions from there on cannot be read: at least ${lostTransactions}`
  warn(`${wal} is damaged at ${where}; ${lost}. It was copied to ${copy}. 'turnhouse verify' names what is missing.`)
}

/** Copies that were not accepted yet. */
export function damagedWals(databasePath: string): readonly string[] {
  return copiesOf(databasePath, copyMark)
}

function copiesOf(databasePath: string, mark: string): readonly string[] {
  const folder = dirname(databasePath)
  if (!existsSync(folder)) return []
  const names = readdirSync(folder).filter((name) => name.startsWith(`${basename(databasePath)}${mark}`))
  return names.toSorted().map((name) => join(folder, name))
}

/** The copies stay, but are no longer reported. */
export function acceptDamagedWals(databasePath: string): void {
  for (const path of damagedWals(databasePath)) renameSync(path, path.replace(copyMark, acceptedMark))
}

/** A process that restarts the log writes its header first: if the header is unchanged, the bytes belong together. */
function verdictOn(wal: string, databasePath: string): WalVerdict {
  for (let attempt = 0; attempt < 3; attempt++) {
    const bytes = existsSync(wal) ? readFileSync(wal) : Buffer.alloc(0)
    const verdict = scanWal(bytes, bytes.length === 0 ? USUAL_PAGE_BYTES : pageBytesOf(databasePath))
    if (verdict.kind === "sound") return verdict
    if (bytesAt(wal, 0, HEADER_BYTES).equals(bytes.subarray(0, HEADER_BYTES))) return verdict
  }
  return { kind: "sound", frames: 0 } // written to continuously: it is in use, so nothing will be dropped
}

function pageBytesOf(databasePath: string): number {
  const field = bytesAt(databasePath, 16, 2)
  const stored = field.length < 2 ? 0 : field.readUInt16BE()
  if (stored === 1) return 65_536
  return stored >= 512 ? stored : USUAL_PAGE_BYTES
}

function bytesAt(path: string, offset: number, length: number): Buffer {
  return existsSync(path) ? withFile(path, "r", (file) => readBytes(file, offset, length)) : Buffer.alloc(0)
}
