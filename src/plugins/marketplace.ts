// Which plugins a folder offers: itself, those of its marketplace file, or those in its sub-folders.
import { readdirSync } from "node:fs"
import { basename, join, normalize, relative } from "node:path"
import { isJsonObject, memberIn, textIn, type JsonObject } from "../contract/json-object.ts"
import type { JsonValue } from "../contract/values.ts"
import { isPluginFolder } from "../hooks/discovery/plugin-folders.ts"
import { PluginFault } from "./copy-tree.ts"
import { insidePath } from "./inside.ts"
import { lineIn, readJsonFile, readManifests } from "./manifest.ts"

export interface OfferedPlugin {
  readonly name: string
  readonly description: string | undefined
  /** Its folder in the source; empty for the source itself. */
  readonly path: string
  /** For a folder without a manifest: the entry of the marketplace, which takes its place. */
  readonly entry: JsonObject | undefined
  /** Why it cannot be installed. */
  readonly problem?: string
}

const marketplaceFiles = [".claude-plugin", ".synaps-plugin"].map((folder) => join(folder, "marketplace.json"))
const MAX_OFFERED = 1000
const NAME_PATTERN = /^[A-Za-z0-9][\w.-]{0,63}$/

/** Throws PluginFault. */
export function offeredPlugins(folder: string): readonly OfferedPlugin[] {
  for (const file of marketplaceFiles) {
    const read = readJsonFile(join(folder, file))
    if (read.kind === "bad") throw new PluginFault(read.why)
    if (read.kind === "object") return ofMarketplace(folder, read.value, file)
  }
  if (isPluginFolder(folder)) return [ofFolder(folder, "")]
  return subFolders(folder).map((name) => ofFolder(folder, name))
}

/** Why a plugin cannot have this name: it becomes a folder and a part of commands. */
export function nameProblem(name: string): string | undefined {
  if (NAME_PATTERN.test(name)) return undefined
  return `the name ${JSON.stringify(name.slice(0, 64))} must have 1 to 64 letters, digits, '_', '-' and '.', and begin with a letter or digit`
}

function subFolders(folder: string): readonly string[] {
  const names = readdirSync(folder).filter((name) => name !== ".git" && isPluginFolder(join(folder, name)))
  return names.filter((name) => insidePath(folder, name).kind === "folder").toSorted()
}

/** Named by its manifest; else by its folder. */
function ofFolder(source: string, path: string): OfferedPlugin {
  const folder = join(source, path)
  const { synaps, claude } = readManifests(folder)
  const name = textIn(synaps, "name") ?? textIn(claude, "name") ?? basename(folder)
  const description = lineIn(synaps, "description") ?? lineIn(claude, "description")
  return { name, description, path, entry: undefined, ...named(name) }
}

function ofMarketplace(folder: string, marketplace: JsonObject, file: string): readonly OfferedPlugin[] {
  const entries = marketplace["plugins"]
  if (!Array.isArray(entries)) throw new PluginFault(`${file} has no list "plugins"`)
  if (entries.length > MAX_OFFERED) throw new PluginFault(`${file} has more than ${MAX_OFFERED} plugins`)
  const base = textIn(memberIn(marketplace, "metadata"), "pluginRoot") ?? ""
  return entries.filter(isJsonObject).map((entry) => ofEntry(folder, base, entry))
}

function ofEntry(folder: string, base: string, entry: JsonObject): OfferedPlugin {
  const name = textIn(entry, "name") ?? ""
  const offered = { name, description: lineIn(entry, "description"), path: "", entry: undefined }
  const place = placeOf(folder, base, entry["source"])
  if ("problem" in place) return { ...offered, problem: place.problem }
  const isPlugin = isPluginFolder(join(folder, place.path))
  return { ...offered, path: place.path, ...(isPlugin ? {} : { entry: manifestFrom(entry) }), ...named(name) }
}

function placeOf(
  folder: string,
  base: string,
  source: JsonValue | undefined,
): { readonly path: string } | { readonly problem: string } {
  if (typeof source !== "string" || /^[\w+.-]+:|^[\w.-]+@/.test(source))
    return { problem: `its source is not a folder of the marketplace. Add it by its own address.` }
  const found = insidePath(folder, join(base, source))
  if (found.kind === "refused") return { problem: `its source ${found.why}` }
  if (found.kind !== "folder") return { problem: `its source ${JSON.stringify(normalize(source))} does not exist` }
  return { path: relative(folder, found.path) }
}

function manifestFrom(entry: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(entry).filter(([key]) => key !== "source"))
}

function named(name: string): { readonly problem?: string } {
  const problem = nameProblem(name)
  return problem === undefined ? {} : { problem }
}
