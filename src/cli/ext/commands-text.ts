// The commands that plugins bring, for a person who wants to know what can be typed, and for programs.
import type { PluginCommand } from "../../hooks/commands/plugin-command.ts"
import { table } from "../table.ts"
import { oneLine } from "../../contract/printable.ts"

export interface ShownCommand {
  readonly name: string
  readonly extension: string
  readonly description: string
  readonly usage: string | null
  /** What happens when it is typed. */
  readonly does: PluginCommand["does"]["kind"]
}

const inWords = {
  program: "runs a program",
  tool: "calls a tool",
  prompt: "prompts the model",
  invoke: "asks the extension",
} as const
const width = 80

export function commandJson({ name, plugin, description, usage, does }: PluginCommand): ShownCommand {
  return { name, extension: plugin, description, usage: usage ?? null, does: does.kind }
}

/** Nothing where there are none. */
export function commandsText(commands: readonly (ShownCommand & { readonly trusted: boolean })[]): string {
  if (commands.length === 0) return ""
  const rows = commands.map(({ trusted, description, ...command }) => [
    `/${command.name}`,
    trusted ? "yes" : "no",
    inWords[command.does],
    oneLine(description, width),
  ])
  return table(["COMMAND", "TRUSTED", "DOES", "DESCRIPTION"], rows)
}

/** One command in a line. */
export function commandLine({ name, usage, does }: PluginCommand): string {
  return `/${name}${usage === undefined ? "" : ` ${usage}`}: ${inWords[does.kind]}`
}
