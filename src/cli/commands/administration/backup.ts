// `turnhouse backup FILE`: copies the log as of one moment, while hosts keep writing. The copy is written beside FILE and
// linked into place when it is complete; an existing file is never overwritten.
import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync, statSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { hasCode, inWords } from "../../../config/file-errors.ts"
import { AppFault, usageFault, exitCodes } from "../../../app/app-fault.ts"
import type { Args } from "../../command.ts"
import { loadContext } from "../../../app/context.ts"
import { copyDatabase } from "../../../app/sessions/copy-database.ts"
import { printNotice } from "../../../app/terminal.ts"
import { writeJson } from "../../output.ts"

const signals = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 } as const

export async function run(args: Args): Promise<number> {
  const [file, ...more] = args.positionals
  if (file === undefined || more.length > 0) throw usageFault("name one file: turnhouse backup FILE")
  const { home } = await loadContext()
  const target = resolve(file)
  const source = join(home, "turnhouse.db")
  if (!existsSync(source)) throw new AppFault(`${source} does not exist: nothing is stored yet`)
  if (existsSync(target)) throw fileExists(file)
  if (!existsSync(dirname(target))) throw new AppFault(`${dirname(file)} does not exist. Create it first.`)
  await backUp(source, target, file)
  const { size: bytes } = statSync(target)
  if (args.flag("json")) writeJson({ file: target, bytes })
  else printNotice(`wrote ${bytes} bytes to ${file}`)
  return exitCodes.done
}

async function backUp(source: string, target: string, named: string): Promise<void> {
  const aside = join(dirname(target), `.${basename(target)}.${process.pid}.part`)
  const stopListening = onSignals((number) => {
    remove(aside)
    process.exit(128 + number)
  })
  try {
    closeSync(openSync(aside, "wx", 0o600)) // SQLite fills an empty file and keeps its mode
    await copyDatabase(source, aside)
    putInPlace(aside, target)
  } catch (fault) {
    if (hasCode(fault, "EEXIST")) throw fileExists(named)
    throw new AppFault(`${named} cannot be written: ${inWords(fault)}`)
  } finally {
    stopListening()
    remove(aside)
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

function onSignals(listener: (number: number) => void): () => void {
  const listeners = Object.entries(signals).map(([name, number]) => [name, () => listener(number)] as const)
  for (const [name, listen] of listeners) process.on(name, listen)
  return () => {
    for (const [name, listen] of listeners) process.off(name, listen)
  }
}
