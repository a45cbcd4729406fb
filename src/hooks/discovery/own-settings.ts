// The file in which an extension's own settings lie: `key = value` in each line. It belongs to the person as much as to
// the extension: comments and everything else in it stay as they are, and it is never half written.
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { readPlainFile } from "./plain-file.ts"
import { parseSettings } from "./resolve-config.ts"

/** One that cannot be read is as if it were not there: a default may do. */
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
