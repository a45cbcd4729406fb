// Typed commands from files of the user and of a folder, read again on each use. An invalid file is listed with the
// reason. A file cannot replace a built-in command or one that was read before.
import { readdir, readFile, stat } from "node:fs/promises"
import { basename, join } from "node:path"
import type { CommandAnswer } from "../../contract/host-commands.ts"
import type { TypedCommand } from "../../contract/views/host.ts"
import { hasCode, describeError } from "../faults.ts"
import { fillCommand, readCommandFile, usageOf, type CommandFile, type ReadCommandFile } from "./command-file.ts"

export interface CommandPlace {
  readonly folder: string
  /** Origin of the commands. */
  readonly source: string
  /** Whether they may be used now. */
  readonly isOpen: () => Promise<boolean>
}

const MAX_FILES = 200
const MAX_BYTES = 64 * 1024

type Found = (
  | { readonly kind: "command"; readonly command: CommandFile }
  | { readonly kind: "unfit"; readonly name: string; readonly why: string }
) & { readonly source: string }

interface Known {
  readonly mark: string
  readonly read: ReadCommandFile
}

export class FileCommands {
  readonly #places: readonly CommandPlace[]
  readonly #isReserved: (name: string) => boolean
  /** Parsed files by path. */
  #known = new Map<string, Known>()

  constructor(places: readonly CommandPlace[], isReserved: (name: string) => boolean) {
    this.#places = places
    this.#isReserved = isReserved
  }

  async list(): Promise<readonly TypedCommand[]> {
    return (await this.#find()).map(listed)
  }

  async run(name: string, args: readonly string[]): Promise<CommandAnswer> {
    const all = await this.#find()
    const found =
      all.find((one) => nameOf(one) === name && one.kind === "command") ?? all.find((one) => nameOf(one) === name)
    if (found === undefined) return { kind: "unknown" }
    return found.kind === "unfit" ? { kind: "failed", why: found.why } : fillCommand(found.command, args)
  }

  async #find(): Promise<readonly Found[]> {
    const known = new Map<string, Known>()
    const all: Found[] = []
    for (const { folder, source, isOpen } of this.#places) {
      const names = await namesIn(folder)
      if (names.length === 0 || !(await isOpen())) continue
      for (const name of names.slice(0, MAX_FILES))
        all.push({ ...(await this.#read(join(folder, name), known)), source })
      if (names.length > MAX_FILES)
        all.push(unfit(basename(folder), `more than ${MAX_FILES} files: the rest is not read`, source))
    }
    this.#known = known
    return withoutTwins(all, this.#isReserved)
  }

  async #read(path: string, known: Map<string, Known>): Promise<ReadCommandFile> {
    const stem = basename(path, ".md")
    try {
      const stats = await stat(path)
      const { size, mtimeMs, ino } = stats
      if (!stats.isFile()) return { kind: "unfit", name: stem, why: `${path} is not a file` }
      if (size > MAX_BYTES) return { kind: "unfit", name: stem, why: `${path} has more than ${MAX_BYTES} bytes` }
      const mark = `${ino} ${size} ${mtimeMs}`
      const before = this.#known.get(path)
      const read = before?.mark === mark ? before.read : await readCommandFile(stem, textOf(await readFile(path)))
      known.set(path, { mark, read })
      return read.kind === "command" ? read : { ...read, why: `${path}: ${read.why}` }
    } catch (error) {
      return { kind: "unfit", name: stem, why: `${path}: ${describeError(error)}` }
    }
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    const names = await readdir(folder)
    return names.filter((name) => name.endsWith(".md") && !name.startsWith(".")).toSorted()
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "EACCES", "EPERM", "ELOOP")) return [] // no usable folder
    throw error
  }
}

/** The first command keeps the name. */
function withoutTwins(all: readonly Found[], isReserved: (name: string) => boolean): readonly Found[] {
  const usedNames = new Set<string>()
  return all.map((found) => {
    const name = nameOf(found)
    if (found.kind === "unfit") return found
    if (isReserved(name)) return unfit(name, `/${name} is built in`, found.source)
    if (usedNames.has(name)) return unfit(name, `another /${name} was read before it`, found.source)
    usedNames.add(name)
    return found
  })
}

function unfit(name: string, reason: string, source: string): Found {
  return { kind: "unfit", name, why: reason, source }
}

function nameOf(found: Found): string {
  return found.kind === "command" ? found.command.name : found.name
}

function listed(found: Found): TypedCommand {
  const { source } = found
  if (found.kind === "unfit") return { name: found.name, description: `not usable: ${found.why}`, source }
  const { name, description } = found.command
  const usage = usageOf(found.command)
  return { name, description, ...(usage === "" ? {} : { usage }), source }
}

/** Throws if it is not UTF-8. */
function textOf(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
}
