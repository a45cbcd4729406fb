// Copies the log, and the index of documents with its sources, to files while hosts keep writing. A copy is written beside
// its file, checked, and linked into place when it is complete; an existing file is never overwritten.
import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync, statSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { backup, DatabaseSync } from "node:sqlite"
import { hasCode, describeError } from "../../config/faults.ts"
import { openReadOnly } from "../../log/sqlite/read-only.ts"
import { AppFault } from "../app-fault.ts"
import { indexPath } from "../settings/knowledge.ts"
import { onSignals } from "../signals.ts"

/** Pages of 4 KiB that are copied without a pause. */
const pagesAtOnce = 2000
/** Smaller copies show no progress. */
const MIN_PAGES_FOR_PROGRESS = 20_000

export interface Copy {
  /** Its full path. */
  readonly file: string
  readonly bytes: number
}

/** The copy of the log, if the home has sessions. */
export interface BackUp extends Partial<Copy> {
  /** The index of documents, if the home has one. */
  readonly knowledge?: Copy
}

export async function backUp(home: string, file: string): Promise<BackUp> {
  const [source, documents] = [join(home, "turnhouse.db"), indexPath(home)]
  const log = existsSync(source) ? file : undefined
  const besides = existsSync(documents) ? knowledgeFileOf(file) : undefined
  if (log === undefined && besides === undefined) throw new AppFault(`${source} does not exist: nothing is stored yet`)
  for (const name of [log, besides]) if (name !== undefined && existsSync(resolve(name))) throw fileExists(name)
  if (!existsSync(dirname(resolve(file)))) throw new AppFault(`${dirname(file)} does not exist. Create it first.`)
  return {
    ...(log === undefined ? {} : await copyTo(source, log, forgetHeadFile)),
    ...(besides === undefined ? {} : { knowledge: await copyTo(documents, besides, checkCopy) }),
  }
}

/** `backup.db` and `backup.knowledge.db`. */
function knowledgeFileOf(file: string): string {
  return file.endsWith(".db") ? `${file.slice(0, -".db".length)}.knowledge.db` : `${file}.knowledge.db`
}

async function copyTo(source: string, file: string, finish: (aside: string) => void): Promise<Copy> {
  const target = resolve(file)
  const aside = join(dirname(target), `.${basename(target)}.${process.pid}.part`)
  const stopListening = onSignals((number) => {
    remove(aside)
    process.exit(128 + number)
  })
  try {
    closeSync(openSync(aside, "wx", 0o600)) // SQLite fills an empty file and keeps its mode
    await copyDatabase(source, aside)
    finish(aside)
    putInPlace(aside, target)
  } catch (fault) {
    if (hasCode(fault, "EEXIST")) throw fileExists(file)
    throw new AppFault(`${file} cannot be written: ${describeError(fault)}`)
  } finally {
    stopListening()
    remove(aside)
  }
  return { file: target, bytes: statSync(target).size }
}

/** Also finds damage of the original, which a copy by pages would pass on. */
function checkCopy(file: string): void {
  const copy = new DatabaseSync(file)
  try {
    const found = copy.prepare("pragma quick_check(1)").get()
    const [result] = Object.values(found ?? {})
    if (result !== "ok") throw new Error(`the stored data is damaged: ${String(result)}`)
  } finally {
    copy.close()
  }
}

/** A link does not replace a file that has appeared meanwhile, unlike a rename; not every file system has links. */
function putInPlace(aside: string, target: string): void {
  try {
    linkSync(aside, target)
  } catch (fault) {
    if (existsSync(target) || hasCode(fault, "EEXIST")) throw fault
    renameSync(aside, target)
  }
  const folder = openSync(dirname(target), "r")
  fsyncSync(folder)
  closeSync(folder)
}

function remove(aside: string): void {
  for (const file of [aside, `${aside}-wal`, `${aside}-shm`, `${aside}-journal`]) rmSync(file, { force: true })
}

function fileExists(file: string): AppFault {
  return new AppFault(`${file} already exists. Name another file.`)
}

/** One read transaction spans the copy, so that it is of one moment and does not restart with every write. */
async function copyDatabase(source: string, target: string): Promise<void> {
  const database = openReadOnly(source)
  try {
    database.exec("begin")
    database.prepare("select count(*) from sqlite_schema").get() // fixes the moment that is copied
    await backup(database, target, { rate: pagesAtOnce, progress: printProgress })
    database.exec("commit")
  } finally {
    if (process.stderr.isTTY) process.stderr.write("\r\u001b[K")
    database.close()
  }
}

/** The file with the heads of all sessions is not copied, so the copy must not refer to it. */
function forgetHeadFile(target: string): void {
  const copy = new DatabaseSync(target)
  try {
    if (copy.prepare("select 1 from sqlite_schema where name = 'head_file'").get() === undefined) return
    copy.exec("delete from head_file")
  } finally {
    copy.close()
  }
}

function printProgress({ totalPages, remainingPages }: { totalPages: number; remainingPages: number }): void {
  if (totalPages < MIN_PAGES_FOR_PROGRESS || !process.stderr.isTTY) return
  process.stderr.write(`\r${Math.floor((100 * (totalPages - remainingPages)) / totalPages)} %`)
}
