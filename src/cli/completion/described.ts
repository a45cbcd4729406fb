// What shells need to know of a command to complete it, taken from the command table.
import { helpOption, type Command, type OptionSpec } from "../command.ts"

export interface DescribedOption {
  readonly name: string
  readonly short: string | undefined
  readonly takesValue: boolean
  readonly help: string
}

/** Words that can follow a command: what a running Turnhouse knows, or fixed ones for the first and then files. */
export type Arguments = "sessions" | "approvals" | "files" | readonly string[]

export interface DescribedCommand {
  readonly name: string
  readonly summary: string
  readonly options: readonly DescribedOption[]
  readonly takes: Arguments
}

export const shells = ["bash", "zsh", "fish"] as const
export type Shell = (typeof shells)[number]
const extensionActions = ["ls", "check", "new"]

export function described(commands: readonly Command[]): readonly DescribedCommand[] {
  return [
    ...commands.map((command) => ({
      name: command.name,
      summary: command.summary,
      options: Object.entries<OptionSpec>({ ...command.options, ...helpOption }).map(optionOf),
      takes: argumentsOf(command),
    })),
    { name: "help", summary: "Show help.", options: [], takes: commands.map(({ name }) => name) },
  ]
}

function optionOf([name, { type, short, help }]: [string, OptionSpec]): DescribedOption {
  return { name, short, takesValue: type === "string", help }
}

function argumentsOf({ name, positionals }: Command): Arguments {
  if (name === "approve") return "approvals"
  if (name === "completion") return shells
  if (name === "ext") return extensionActions
  return /^\[?ID/.test(positionals) ? "sessions" : "files"
}
