// Typed commands from files of the user and of a folder, read again on each use. An invalid file is listed with the
// reason. A file cannot replace a built-in command or one that was read before.
import type { CommandAnswer } from "../../contract/host-commands.ts"
import type { TypedCommand } from "../../contract/views/host.ts"
import {
  CommandReader,
  fillFound,
  listedCommand,
  nameOf,
  unfit,
  type CommandPlace,
  type FoundCommand,
} from "./command-reader.ts"

export class FileCommands {
  readonly #reader: CommandReader
  readonly #isReserved: (name: string) => boolean

  constructor(places: readonly CommandPlace[], isReserved: (name: string) => boolean) {
    this.#reader = new CommandReader(places)
    this.#isReserved = isReserved
  }

  async list(): Promise<readonly TypedCommand[]> {
    return (await this.#find()).map((found) => listedCommand(found))
  }

  async run(name: string, args: readonly string[]): Promise<CommandAnswer> {
    const all = await this.#find()
    const named = all.filter((one) => nameOf(one) === name)
    const found = named.find((one) => one.kind !== "unfit") ?? named[0]
    return found === undefined ? { kind: "unknown" } : fillFound(found, args)
  }

  async #find(): Promise<readonly FoundCommand[]> {
    return withoutTwins(await this.#reader.read(), this.#isReserved)
  }
}

/** The first command keeps the name. */
function withoutTwins(all: readonly FoundCommand[], isReserved: (name: string) => boolean): readonly FoundCommand[] {
  const usedNames = new Set<string>()
  return all.map((found) => {
    const name = nameOf(found)
    if (found.kind === "unfit") return found
    if (isReserved(name)) return unfit(name, `/${name} is built in`, found)
    if (usedNames.has(name)) return unfit(name, `another /${name} was read before it`, found)
    usedNames.add(name)
    return found
  })
}
