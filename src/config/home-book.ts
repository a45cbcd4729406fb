// A small list in a JSON file of the home, for the owner alone. Replaced under a lock, so that no change is lost. An invalid
// file, or one that others may write, is never repaired: readers get no entries and a warning.
import { closeSync, fstatSync, openSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { isObject } from "../contract/json-object.ts"
import { ownerOnly, replaceOwnFile } from "../program/own-file.ts"
import { ConfigFault, describeError, hasCode } from "./faults.ts"

export interface BookFormat<Entry> {
  /** Its name in the home. */
  readonly file: string
  /** The key of the entries. */
  readonly member: string
  /** Throws a SyntaxError. */
  readonly entryOf: (value: unknown) => Entry
  /** What follows from an invalid file: `so no folder is trusted`. */
  readonly effect: string
  /** What another process may be changing: `trusted folders`. */
  readonly content: string
}

export interface Book<Entry> {
  readonly entries: Map<string, Entry>
  readonly warnings: readonly string[]
}

const lockPauseMs = 20

export function readBook<Entry>(home: string, format: BookFormat<Entry>): Book<Entry> {
  const file = join(home, format.file)
  try {
    return { entries: readEntries(file, format) ?? new Map(), warnings: [] }
  } catch (error) {
    const reason = error instanceof SyntaxError ? "it is invalid" : describeError(error)
    return {
      entries: new Map(),
      warnings: [`${file} is ignored, ${format.effect}: ${reason}. Remove it to start over.`],
    }
  }
}

/** The home folder must exist. Throws ConfigFault, also for an invalid file. */
export async function changeBook<Entry, Value>(
  home: string,
  format: BookFormat<Entry>,
  change: (entries: Map<string, Entry>) => Value,
  tries = 500,
): Promise<Value> {
  const unlock = await lockBook(home, format, tries)
  try {
    const { entries, warnings } = readBook(home, format)
    if (warnings.length > 0) throw new ConfigFault(warnings)
    const value = change(entries)
    const text = JSON.stringify({ version: 1, [format.member]: Object.fromEntries(entries) }, undefined, 2)
    replaceOwnFile(join(home, format.file), `${text}\n`)
    return value
  } finally {
    unlock()
  }
}

function readEntries<Entry>(file: string, { member, entryOf }: BookFormat<Entry>): Map<string, Entry> | undefined {
  const text = readOwnText(file)
  if (text === undefined) return undefined
  const book: unknown = JSON.parse(text)
  const entries = isObject(book) && book["version"] === 1 ? book[member] : undefined
  if (!isObject(entries)) throw new SyntaxError("not a list of this version")
  return new Map(Object.entries(entries).map(([key, value]) => [key, entryOf(value)]))
}

function readOwnText(file: string): string | undefined {
  let descriptor
  try {
    descriptor = openSync(file, "r")
    if ((fstatSync(descriptor).mode & 0o022) !== 0) throw new Error("others may write to it")
    return readFileSync(descriptor, "utf8")
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined
    throw error
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

/** A stale lock is not removed here: two processes could do so at once and both continue. */
async function lockBook<Entry>(home: string, format: BookFormat<Entry>, tries: number): Promise<() => void> {
  const lock = `${join(home, format.file)}.lock`
  for (let attempt = 0; attempt < tries; attempt++) {
    try {
      closeSync(openSync(lock, "wx", ownerOnly))
      return () => rmSync(lock, { force: true })
    } catch (error) {
      if (!hasCode(error, "EEXIST")) throw new ConfigFault([`${lock} cannot be created: ${describeError(error)}.`])
    }
    await setTimeout(lockPauseMs)
  }
  const advice = `If no other process changes ${format.content}, remove it.`
  throw new ConfigFault([`${lock} is held by another process. ${advice}`])
}
