// Keeps what a session knows of files across hosts: one line per file in a file of the home, without names or contents.
// Damage costs a second read of a file, nothing else.
import { createHash } from "node:crypto"
import { appendFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import { systemCode } from "../../contract/faults.ts"
import type { SessionId } from "../../contract/ids.ts"
import { textIn, tryParseJson } from "../../contract/json-object.ts"
import type { Fingerprint, FileMemoryStore } from "./file-memory.ts"

/** Files remembered across hosts. */
const MAX_FILES = 2000
/** Lines after which the file is written anew. */
const MAX_LINES = 2 * MAX_FILES

export function memoryStore(home: string, sessionId: SessionId): FileMemoryStore {
  const file = fileOf(home, sessionId)
  let lines = 0
  return {
    load: () => {
      const found = linesOf(file)
      lines = found.length
      return new Map(found.slice(-MAX_FILES).flatMap(entryOf))
    },
    add: (realPath, fingerprint, all) => {
      lines += 1
      try {
        if (lines <= MAX_LINES) append(file, lineOf(keyOf(realPath), fingerprint))
        else lines = rewrite(file, [...all].slice(-MAX_FILES))
      } catch {
        // The tool has done its work: with a full disk the next host has to read the file again.
      }
    },
    keyOf,
  }
}

export async function removeMemory(home: string, sessionId: SessionId): Promise<void> {
  await rm(fileOf(home, sessionId), { force: true })
}

function fileOf(home: string, sessionId: SessionId): string {
  return join(home, "read-files", `${sessionId}.jsonl`)
}

function append(file: string, line: string): void {
  try {
    appendFileSync(file, line, { mode: 0o600 })
  } catch (fault) {
    if (systemCode(fault) !== "ENOENT") throw fault
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    appendFileSync(file, line, { mode: 0o600 })
  }
}

function rewrite(file: string, entries: readonly (readonly [string, Fingerprint])[]): number {
  const temporary = `${file}.new`
  writeFileSync(temporary, entries.map(([key, fingerprint]) => lineOf(key, fingerprint)).join(""), { mode: 0o600 })
  renameSync(temporary, file)
  return entries.length
}

/** Names may hold secrets. */
function keyOf(realPath: string): string {
  return createHash("sha256").update(realPath).digest("base64url")
}

function lineOf(key: string, { modified, changed, size, hash }: Fingerprint): string {
  return `${JSON.stringify({ key, modified: `${modified}`, changed: `${changed}`, size: `${size}`, hash })}\n`
}

function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8").trimEnd().split("\n")
  } catch (fault) {
    if (systemCode(fault) === "ENOENT") return []
    throw fault
  }
}

/** A crash may have cut the last line. */
function entryOf(line: string): readonly (readonly [string, Fingerprint])[] {
  const value = tryParseJson(line)
  const number = (name: string) => {
    const digits = textIn(value, name) ?? ""
    return /^\d{1,30}$/.test(digits) ? BigInt(digits) : undefined
  }
  const key = textIn(value, "key")
  const [modified, changed, size] = [number("modified"), number("changed"), number("size")]
  if (key === undefined || modified === undefined || changed === undefined || size === undefined) return []
  return [[key, { modified, changed, size, hash: textIn(value, "hash") }]]
}
