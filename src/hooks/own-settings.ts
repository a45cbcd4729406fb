// The file in which an extension's own settings lie: `key = value` in each line. It belongs to the person as much as to
// the extension: comments and everything else in it stay as they are, and it is never half written.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { parseSettings } from "./resolve-config.ts"

export function readSettings(file: string): ReadonlyMap<string, string> {
  return existsSync(file) ? parseSettings(readFileSync(file, "utf8")) : new Map()
}

export function writeSetting(file: string, key: string, value: string): void {
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : []
  if (lines.at(-1) === "") lines.pop()
  const line = `${key} = ${value}`
  const isOurs = (one: string) => parseSettings(one).has(key)
  const changed = lines.some(isOurs) ? lines.map((one) => (isOurs(one) ? line : one)) : [...lines, line]
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const fresh = `${file}.${process.pid}.new`
  writeFileSync(fresh, `${changed.join("\n")}\n`, { mode: 0o600 })
  renameSync(fresh, file)
}
