// Reads an exported session and checks the file. Unreadable lines are counted and skipped, so that the rest of a damaged
// file can be read.
import { readFileSync } from "node:fs"
import type { Recorded } from "../../contract/events.ts"
import { decodeEvent } from "../../contract/stored-event.ts"
import { checkExport, type ExportCheck } from "../../log/export-file.ts"
import { AppFault, messageOf } from "../app-fault.ts"

export interface ReadExport {
  readonly check: ExportCheck
  readonly events: readonly Recorded[]
  /** Lines between header and seal that are not an event of this version. */
  readonly unreadable: number
}

export async function readExport(path: string): Promise<ReadExport> {
  // Only a newline ends a line: readline would also split at separators inside a text.
  const lines = textOf(path).split("\n")
  if (lines.at(-1) === "") lines.pop()
  const check = await checkExport(each(lines))
  if (check.kind === "broken" && check.line === 1) throw cannotRead(path, check.what)
  const decoded = lines.slice(1).filter(isNoSeal).map(decodeEvent)
  const events = decoded.flatMap((one) => (one.kind === "event" ? [one.recorded] : []))
  return { check, events, unreadable: decoded.length - events.length }
}

function textOf(path: string): string {
  try {
    return readFileSync(path === "-" ? 0 : path, "utf8")
  } catch (fault) {
    throw cannotRead(path, messageOf(fault))
  }
}

function cannotRead(path: string, what: string): AppFault {
  return new AppFault(`${path} is not a readable export: ${what}`)
}

function isNoSeal(line: string): boolean {
  return !line.startsWith('{"seal":')
}

async function* each(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines
}
