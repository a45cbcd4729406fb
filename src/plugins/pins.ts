// Plugins that the user installed with `turnhouse plugin add`, each pinned by the digest of its files: `plugins.json` in the
// home. A pinned plugin whose files differ is not used. Folders without an entry were put there by hand and have no pin.
import { lstatSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { changeBook, readBook, type BookFormat } from "../config/home-book.ts"
import { isTexts } from "../config/plain.ts"
import { digestTree, type TreeDigest } from "../config/tree-digest.ts"
import { look } from "../config/trust/project-files.ts"
import { isObject } from "../contract/json-object.ts"

export interface Pin {
  /** An absolute path or an address of a git repository. */
  readonly source: string
  /** The plugin's folder in the source; empty for the source itself. */
  readonly path: string
  /** Of the git repository. */
  readonly commit?: string
  readonly digest: string
  /** Folders in the plugin that it may write to, outside the digest. */
  readonly writes: readonly string[]
  readonly at: string
}

const format: BookFormat<Pin> = {
  file: "plugins.json",
  member: "plugins",
  entryOf: pinFrom,
  effect: "so no plugin in the home's folder 'plugins' is used",
  content: "plugins",
}

/** The file of a plugin's settings, which extensions may change. */
export const settingsFile = "config"

export function pluginsFolder(home: string): string {
  return join(home, "plugins")
}

export interface Pins {
  readonly pins: ReadonlyMap<string, Pin>
  /** Why none can be read. */
  readonly problem: string | undefined
}

export function readPins(home: string): Pins {
  const { entries, warnings } = readBook(home, format)
  return { pins: entries, problem: warnings[0] }
}

export function changePins<Value>(home: string, change: (pins: Map<string, Pin>) => Value): Promise<Value> {
  return changeBook(home, format, change)
}

/** Of everything in the folder but its settings and what the plugin itself writes. */
export async function digestPlugin(folder: string, writes: readonly string[]): Promise<TreeDigest> {
  const isIgnored = (name: string) => name === settingsFile || writes.includes(name)
  const names = readdirSync(folder).filter((name) => name !== ".git")
  return digestTree({ folder, names: names.toSorted(), isIgnored })
}

/** Why the plugin in the home's folder must not be used; undefined if it may, or was put there by hand. */
export async function pinProblem(home: string, id: string): Promise<string | undefined> {
  const { pins, problem } = readPins(home)
  if (problem !== undefined) return problem
  const pin = pins.get(id)
  if (pin === undefined) return undefined
  const folder = join(pluginsFolder(home), id)
  if (look(folder).kind !== "folder") return undefined // there is nothing to use
  const why = await differenceTo(pin, folder)
  if (why === undefined) return undefined
  return `plugin ${id} is not used: ${why}. Run 'turnhouse plugin update ${id}' to install it again.`
}

async function differenceTo(pin: Pin, folder: string): Promise<string | undefined> {
  const mark = markOf(folder)
  const known = checked.get(folder)
  const isKnown = mark !== undefined && known?.mark === mark && known.writes === pin.writes.join("\n")
  const found = isKnown ? known.found : await digestPlugin(folder, pin.writes)
  if (mark !== undefined) checked.set(folder, { mark, writes: pin.writes.join("\n"), found })
  if (found.kind === "unfit") return `its files in ${folder} cannot be checked: ${found.why}`
  return found.digest === pin.digest ? undefined : `its files in ${folder} changed after it was installed`
}

/** Digests of this process, each with the state of the files at that time. */
const checked = new Map<string, { readonly mark: string; readonly writes: string; readonly found: TreeDigest }>()
const MAX_MARKED = 10_000

/** Changes with any file of the folder; undefined if it is too large or unreadable. */
function markOf(folder: string): string | undefined {
  const marks: string[] = []
  const visit = (path: string): void => {
    const found = lstatSync(path)
    marks.push(`${path} ${found.ino} ${found.mode} ${found.size} ${found.mtimeMs} ${found.ctimeMs}`)
    if (marks.length > MAX_MARKED) throw new RangeError("too many files")
    if (found.isDirectory()) for (const name of readdirSync(path)) visit(join(path, name))
  }
  try {
    visit(folder)
    return marks.join("\n")
  } catch {
    return undefined // the digest says why
  }
}

function pinFrom(value: unknown): Pin {
  const { source, path, commit, digest, writes, at } = isObject(value) ? value : {}
  if (typeof source !== "string" || typeof path !== "string" || typeof digest !== "string")
    throw new SyntaxError("not a plugin")
  if (typeof at !== "string" || !isTexts(writes)) throw new SyntaxError("not a plugin")
  return { source, path, digest, writes, at, ...(typeof commit === "string" ? { commit } : {}) }
}
