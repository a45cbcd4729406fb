// Lists the typed commands of plugins: as text, and as JSON.
import type { PluginCommand } from "../../hooks/commands/plugin-command.ts"
import { table, type Columns } from "../output.ts"
import { oneLine } from "../../contract/text/text.ts"

export interface ShownCommand {
  readonly name: string
  readonly extension: string
  readonly description: string
  readonly usage: string | null

  readonly does: PluginCommand["does"]["kind"]
}

const inWords = {
  program: "runs a program",
  tool: "calls a tool",
  prompt: "prompts the model",
  invoke: "calls the extension",
} as const
const width = 80

export function commandJson({ name, plugin, description, usage, does }: PluginCommand): ShownCommand {
  return { name, extension: plugin, description, usage: usage ?? null, does: does.kind }
}

/** Empty if there are none. */
export function commandsText(commands: readonly ListedCommand[]): string {
  return commands.length === 0 ? "" : table(commands, shownColumns)
}

type ListedCommand = ShownCommand & { readonly trusted: boolean }

const shownColumns: Columns<ListedCommand> = {
  COMMAND: ({ name }) => `/${name}`,
  TRUSTED: ({ trusted }) => (trusted ? "yes" : "no"),
  DOES: ({ does }) => inWords[does],
  DESCRIPTION: ({ description }) => oneLine(description, width),
}

export function commandLine({ name, usage, does }: PluginCommand): string {
  return `/${name}${usage === undefined ? "" : ` ${usage}`}: ${inWords[does.kind]}`
}
