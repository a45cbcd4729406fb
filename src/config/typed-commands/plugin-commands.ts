// Typed commands from files of plugins: `/plugin:name`, and `/name` where nothing else has it.
import type { CommandAnswer } from "../../contract/host-commands.ts"
import type { TypedCommand } from "../../contract/views/host.ts"
import { callNames, type CallNames } from "../plugin-place.ts"
import {
  CommandReader,
  fillFound,
  listedCommand,
  nameOf,
  type CommandPlace,
  type FoundCommand,
} from "./command-reader.ts"

interface PluginFile {
  readonly name: string
  readonly plugin: string | undefined
  readonly found: FoundCommand
}

export class PluginCommands {
  readonly #reader: CommandReader

  constructor(places: readonly CommandPlace[]) {
    this.#reader = new CommandReader(places)
  }

  /** `isTaken`: names that mean something else. */
  async list(isTaken: (name: string) => boolean): Promise<readonly TypedCommand[]> {
    const { shown } = await this.#named(isTaken)
    return [...shown].map(([name, { found }]) => listedCommand(found, name)).toSorted(byName)
  }

  async run(name: string, args: readonly string[], isTaken: (name: string) => boolean): Promise<CommandAnswer> {
    const file = (await this.#named(isTaken)).find(name)
    return file === undefined ? { kind: "unknown" } : fillFound(file.found, args)
  }

  async #named(isTaken: (name: string) => boolean): Promise<CallNames<PluginFile>> {
    const files = (await this.#reader.read()).map((found) => ({ name: nameOf(found), plugin: found.plugin, found }))
    return callNames(files, isTaken)
  }
}

function byName(one: TypedCommand, other: TypedCommand): number {
  return one.name < other.name ? -1 : 1
}
