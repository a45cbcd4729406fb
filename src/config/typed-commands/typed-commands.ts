// Typed commands from files of the user and of a folder, read again on each use. An invalid file is listed with the
// reason. A file cannot replace a built-in command or one that was read before.
import { readFile, stat } from "node:fs/promises"
import { basename, join } from "node:path"
import type { CommandAnswer } from "../../contract/host-commands.ts"
import type { TypedCommand } from "../../contract/views/host.ts"
import { describeError } from "../faults.ts"
import { markdownIn } from "../folder-files.ts"
import { fillCommand, readCommandFile, usageOf, type CommandFile, type ReadCommandFile } from "./command-file.ts"
import {
  fillNumbered,
  readNumberedCommand,
  type NumberedCommand,
  type ReadNumberedCommand,
} from "./numbered-command.ts"

export interface CommandPlace {
  readonly folder: string
  /** Origin of the commands. */
  readonly source: string
  /** Whether they may be used now. */
  readonly isOpen: () => Promise<boolean>
  /** Of Claude Code: folders in it are part of the names, and arguments are numbered instead of named. */
  readonly isNested?: boolean
}

const MAX_FILES = 200
const MAX_BYTES = 64 * 1024

type Found = (
  | { readonly kind: "command"; readonly command: CommandFile }
  | { readonly kind: "numbered"; readonly command: NumberedCommand }
  | { readonly kind: "unfit"; readonly name: string; readonly why: string }
) & { readonly source: string }

type ReadCommand = ReadCommandFile | ReadNumberedCommand

interface FileOfPlace extends Pick<CommandPlace, "folder"> {
  /** Its path in the folder. */
  readonly name: string
  readonly isNested: boolean
}

interface Known {
  readonly mark: string
  readonly read: ReadCommand
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
      all.find((one) => nameOf(one) === name && one.kind !== "unfit") ?? all.find((one) => nameOf(one) === name)
    if (found === undefined) return { kind: "unknown" }
    if (found.kind === "unfit") return { kind: "failed", why: found.why }
    return found.kind === "numbered" ? fillNumbered(found.command, args) : fillCommand(found.command, args)
  }

  async #find(): Promise<readonly Found[]> {
    const known = new Map<string, Known>()
    const all: Found[] = []
    for (const { folder, source, isOpen, isNested = false } of this.#places) {
      const names = await markdownIn(folder, isNested)
      if (names.length === 0 || !(await isOpen())) continue
      for (const name of names.slice(0, MAX_FILES))
        all.push({ ...(await this.#read({ folder, name, isNested }, known)), source })
      if (names.length > MAX_FILES)
        all.push(unfit(basename(folder), `more than ${MAX_FILES} files: the rest is not read`, source))
    }
    this.#known = known
    return withoutTwins(all, this.#isReserved)
  }

  async #read({ folder, name, isNested }: FileOfPlace, known: Map<string, Known>): Promise<ReadCommand> {
    const path = join(folder, name)
    const stem = basename(path, ".md")
    try {
      const stats = await stat(path)
      const { size, mtimeMs, ino } = stats
      if (!stats.isFile()) return { kind: "unfit", name: stem, why: `${path} is not a file` }
      if (size > MAX_BYTES) return { kind: "unfit", name: stem, why: `${path} has more than ${MAX_BYTES} bytes` }
      const mark = `${ino} ${size} ${mtimeMs}`
      const before = this.#known.get(path)
      const text = async () => textOf(await readFile(path))
      const parse = async () =>
        isNested ? readNumberedCommand(name, await text()) : readCommandFile(stem, await text())
      const read = before?.mark === mark ? before.read : await parse()
      known.set(path, { mark, read })
      return read.kind === "unfit" ? { ...read, why: `${path}: ${read.why}` } : read
    } catch (error) {
      return { kind: "unfit", name: stem, why: `${path}: ${describeError(error)}` }
    }
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
  return found.kind === "unfit" ? found.name : found.command.name
}

function listed(found: Found): TypedCommand {
  const { source } = found
  if (found.kind === "unfit") return { name: found.name, description: `not usable: ${found.why}`, source }
  const { name, description } = found.command
  const usage = found.kind === "numbered" ? found.command.usage : usageOf(found.command)
  return { name, description, ...(usage === "" ? {} : { usage }), source }
}

/** Throws if it is not UTF-8. */
function textOf(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
}
