// Reads command files of several places. Files are read on each use; those that did not change are parsed once.
import { readFile, stat } from "node:fs/promises"
import { basename, join } from "node:path"
import type { CommandAnswer } from "../../contract/host-commands.ts"
import type { TypedCommand } from "../../contract/views/host.ts"
import { describeError } from "../faults.ts"
import { markdownOf } from "../folder-files.ts"
import { withPluginFolder, type FilePlace } from "../plugin-place.ts"
import { fillCommand, readCommandFile, usageOf, type CommandFile, type ReadCommandFile } from "./command-file.ts"
import {
  fillNumbered,
  readNumberedCommand,
  type NumberedCommand,
  type ReadNumberedCommand,
} from "./numbered-command.ts"

export interface CommandPlace extends FilePlace {
  /** Origin of the commands. */
  readonly source: string
  /** Of Claude Code: folders in it are part of the names, and arguments are numbered instead of named. */
  readonly isNested?: boolean
}

const MAX_FILES = 200
const MAX_BYTES = 64 * 1024

export type FoundCommand = (
  | { readonly kind: "command"; readonly command: CommandFile }
  | { readonly kind: "numbered"; readonly command: NumberedCommand }
  | { readonly kind: "unfit"; readonly name: string; readonly why: string }
) & { readonly source: string; readonly plugin: string | undefined }

type ReadCommand = ReadCommandFile | ReadNumberedCommand

interface Known {
  readonly mark: string
  readonly read: ReadCommand
}

export class CommandReader {
  readonly #places: readonly CommandPlace[]
  /** Parsed files by path. */
  #known = new Map<string, Known>()

  constructor(places: readonly CommandPlace[]) {
    this.#places = places
  }

  /** Every file of the places that are open, in their order. */
  async read(): Promise<readonly FoundCommand[]> {
    const known = new Map<string, Known>()
    const all: FoundCommand[] = []
    for (const place of this.#places) {
      const origin = { source: place.source, plugin: place.plugin?.id }
      const names = await markdownOf(place, place.isNested)
      if (names.length === 0 || !(await place.isOpen())) continue
      for (const name of names.slice(0, MAX_FILES)) all.push({ ...(await this.#read(place, name, known)), ...origin })
      if (names.length > MAX_FILES)
        all.push(unfit(basename(place.folder), `more than ${MAX_FILES} files: the rest is not read`, origin))
    }
    this.#known = known
    return all
  }

  async #read(place: CommandPlace, name: string, known: Map<string, Known>): Promise<ReadCommand> {
    const path = join(place.folder, name)
    const stem = basename(path, ".md")
    try {
      const stats = await stat(path)
      const { size, mtimeMs, ino } = stats
      if (!stats.isFile()) return { kind: "unfit", name: stem, why: `${path} is not a file` }
      if (size > MAX_BYTES) return { kind: "unfit", name: stem, why: `${path} has more than ${MAX_BYTES} bytes` }
      const mark = `${ino} ${size} ${mtimeMs}`
      const before = this.#known.get(path)
      const text = async () => withPluginFolder(textOf(await readFile(path)), place.plugin)
      const parse = async () =>
        place.isNested === true ? readNumberedCommand(name, await text()) : readCommandFile(stem, await text())
      const read = before?.mark === mark ? before.read : await parse()
      known.set(path, { mark, read })
      return read.kind === "unfit" ? { ...read, why: `${path}: ${read.why}` } : read
    } catch (error) {
      return { kind: "unfit", name: stem, why: `${path}: ${describeError(error)}` }
    }
  }
}

export function unfit(
  name: string,
  why: string,
  { source, plugin }: Pick<FoundCommand, "source" | "plugin">,
): FoundCommand {
  return { kind: "unfit", name, why, source, plugin }
}

export function nameOf(found: FoundCommand): string {
  return found.kind === "unfit" ? found.name : found.command.name
}

export function fillFound(found: FoundCommand, args: readonly string[]): CommandAnswer {
  if (found.kind === "unfit") return { kind: "failed", why: found.why }
  return found.kind === "numbered" ? fillNumbered(found.command, args) : fillCommand(found.command, args)
}

export function listedCommand(found: FoundCommand, name = nameOf(found)): TypedCommand {
  const { source } = found
  if (found.kind === "unfit") return { name, description: `not usable: ${found.why}`, source }
  const { description } = found.command
  const usage = found.kind === "numbered" ? found.command.usage : usageOf(found.command)
  return { name, description, ...(usage === "" ? {} : { usage }), source }
}

/** Throws if it is not UTF-8. */
function textOf(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
}
