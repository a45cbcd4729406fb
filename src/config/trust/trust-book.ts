// The list of trusted folders: `trust.json` in the home, for the owner alone. Replaced under a lock, so that no change is
// lost: a lost revocation would leave a folder trusted. An invalid file, or one that others may write, is ignored with a
// warning and never repaired.
import { isObject } from "../../contract/json-object.ts"
import { closeSync, fstatSync, openSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { ownerOnly, replaceOwnFile } from "../../program/own-file.ts"
import { ConfigFault, hasCode, describeError } from "../faults.ts"

export interface Trusted {
  readonly digest: string
  readonly at: string
}

export interface TrustedFolder extends Trusted {
  readonly folder: string
}

export interface TrustBook {
  readonly folders: Map<string, Trusted>
  readonly warnings: readonly string[]
}

const lockPauseMs = 20

export function readTrustBook(home: string): TrustBook {
  const file = bookFile(home)
  try {
    const folders = readFolders(file)
    return { folders: folders ?? new Map(), warnings: [] }
  } catch (error) {
    const reason = error instanceof SyntaxError ? "it is invalid" : describeError(error)
    return {
      folders: new Map(),
      warnings: [`${file} is ignored, so no folder is trusted: ${reason}. Remove it to start over.`],
    }
  }
}

/** The home folder must exist. `patience`: attempts to get the lock. */
export async function changeTrustBook<Value>(
  home: string,
  change: (folders: Map<string, Trusted>) => Value,
  timeoutMs = 500,
): Promise<Value> {
  const unlock = await lockBook(home, timeoutMs)
  try {
    const { folders, warnings } = readTrustBook(home)
    if (warnings.length > 0) throw new ConfigFault(warnings)
    const value = change(folders)
    writeBook(home, folders)
    return value
  } finally {
    unlock()
  }
}

function bookFile(home: string): string {
  return join(home, "trust.json")
}

function readFolders(file: string): Map<string, Trusted> | undefined {
  const text = readOwnText(file)
  if (text === undefined) return undefined
  const book: unknown = JSON.parse(text)
  if (!isObject(book) || book["version"] !== 1 || !isObject(book["folders"])) throw new SyntaxError("not a trust book")
  return new Map(Object.entries(book["folders"]).map(([folder, known]) => [folder, trustedFrom(known)]))
}

function trustedFrom(known: unknown): Trusted {
  const { digest, at } = isObject(known) ? known : {}
  if (typeof digest !== "string" || typeof at !== "string") throw new SyntaxError("not a trusted folder")
  return { digest, at }
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

function writeBook(home: string, folders: ReadonlyMap<string, Trusted>): void {
  const text = `${JSON.stringify({ version: 1, folders: Object.fromEntries(folders) }, undefined, 2)}\n`
  replaceOwnFile(bookFile(home), text)
}

/** A stale lock is not removed here: two processes could do so at once and both continue. */
async function lockBook(home: string, timeoutMs: number): Promise<() => void> {
  const lock = `${bookFile(home)}.lock`
  for (let tries = 0; tries < timeoutMs; tries++) {
    try {
      closeSync(openSync(lock, "wx", ownerOnly))
      return () => rmSync(lock, { force: true })
    } catch (error) {
      if (!hasCode(error, "EEXIST")) throw new ConfigFault([`${lock} cannot be created: ${describeError(error)}.`])
    }
    await setTimeout(lockPauseMs)
  }
  throw new ConfigFault([`${lock} is held by another process. If no other process changes trusted folders, remove it.`])
}
