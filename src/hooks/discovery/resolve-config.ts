// Resolves the settings that an extension declares, in this order: environment, a secret's own variable, the extension's
// file, the shared file, the manifest's default. Undeclared settings are not passed on, and messages contain no values.
import type { JsonValue } from "../../contract/values.ts"
import type { ConfigEntry } from "../../protocols/extension/frames.ts"
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { readPlainFile } from "./plain-file.ts"

export interface ConfigSources {
  readonly env: Readonly<Record<string, string | undefined>>
  /** `key = value` files of the extension; the first with a key wins. */
  readonly own: readonly ReadonlyMap<string, string>[]
  /** Of all extensions, with keys `extension.<id>.<key>`. */
  readonly common: ReadonlyMap<string, string>
}

export type ResolvedConfig =
  | { readonly kind: "ok"; readonly values: { readonly [key: string]: JsonValue } }
  | { readonly kind: "bad"; readonly reason: string }

export function resolveConfig(id: string, entries: readonly ConfigEntry[], sources: ConfigSources): ResolvedConfig {
  const values: Record<string, JsonValue> = {}
  for (const entry of entries) {
    const key = entry.key.trim()
    if (key === "" || /[./ ]/.test(key))
      return bad(`'${entry.key}' is not a valid key: use a non-empty name without '.', '/' or space`)
    const value = find(id, key, entry, sources) ?? entry.default ?? undefined
    if (value !== undefined) values[key] = value
    else if (entry.required === true)
      return bad(`its setting '${key}' is missing; set ${variable(id, key)} or ${commonKey(id, key)}`)
  }
  return { kind: "ok", values }
}

function find(id: string, key: string, entry: ConfigEntry, { env, own, common }: ConfigSources): string | undefined {
  const secret = typeof entry.secret_env === "string" ? env[entry.secret_env] : undefined
  const ownValue = own.map((file) => file.get(key)).find((value) => value !== undefined)
  return env[variable(id, key)] ?? secret ?? ownValue ?? common.get(commonKey(id, key))
}

/** `key = value` lines; `#` starts a comment. */
export function parseSettings(text: string): ReadonlyMap<string, string> {
  const lines = text.split("\n").map((line) => line.trim())
  const pairs = lines.filter((line) => !line.startsWith("#") && line.includes("="))
  return new Map(
    pairs.map((line) => [line.slice(0, line.indexOf("=")).trim(), line.slice(line.indexOf("=") + 1).trim()]),
  )
}

function variable(id: string, key: string): string {
  return `SYNAPS_EXTENSION_${upperCase(id)}_${upperCase(key)}`
}

function commonKey(id: string, key: string): string {
  return `extension.${id}.${key}`
}

function upperCase(name: string): string {
  return name.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase()).replaceAll("-", "_")
}

function bad(reason: string): ResolvedConfig {
  return { kind: "bad", reason }
}

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
  const hasKey = (one: string) => parseSettings(one).has(key)
  const changed = lines.some(hasKey) ? lines.map((one) => (hasKey(one) ? line : one)) : [...lines, line]
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const fresh = `${file}.${process.pid}.new`
  writeFileSync(fresh, `${changed.join("\n")}\n`, { mode: 0o600 })
  renameSync(fresh, file)
}
