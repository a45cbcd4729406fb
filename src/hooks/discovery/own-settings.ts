// Writes an extension's settings file, `key = value` lines. Users edit it too: comments and other lines stay, and the
// file is replaced atomically.
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { readPlainFile } from "./plain-file.ts"
import { parseSettings } from "./resolve-config.ts"

/** An unreadable file counts as missing: defaults apply. */
export function readSettings(file: string): ReadonlyMap<string, string> {
  try {
    return parseSettings(readPlainFile(file))
  } catch {
    return new Map()
  }
}

export function writeSetting(file: string, key: string, value: string): void {
  const lines = existsSync(file) ? readPlainFile(file).split("\n") : []
  if (lines.at(-1) === "") lines.pop()
  const line = `${key} = ${value}`
  const isOurs = (one: string) => parseSettings(one).has(key)
  const changed = lines.some(isOurs) ? lines.map((one) => (isOurs(one) ? line : one)) : [...lines, line]
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const fresh = `${file}.${process.pid}.new`
  writeFileSync(fresh, `${changed.join("\n")}\n`, { mode: 0o600 })
  renameSync(fresh, file)
}
