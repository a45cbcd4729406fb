// What a shell needs to know about each command to complete it.
import { helpOption, type Command, type OptionSpec } from "../command.ts"

export interface DescribedOption {
  readonly name: string
  readonly short: string | undefined
  readonly takesValue: boolean
  readonly help: string
}

/** What can follow a command: ids that Turnhouse lists, or fixed words for the first argument and then files. */
export type Arguments = "sessions" | "approvals" | "files" | readonly string[]

export interface DescribedCommand {
  readonly name: string
  readonly summary: string
  readonly options: readonly DescribedOption[]
  readonly completions: Arguments
}

export function described(commands: readonly Command[]): readonly DescribedCommand[] {
  return [
    ...commands.map((command) => ({
      name: command.name,
      summary: command.summary,
      options: Object.entries<OptionSpec>({ ...command.options, ...helpOption }).map(optionOf),
      completions: argumentsOf(command),
    })),
    { name: "help", summary: "Show help.", options: [], completions: ["all", ...commands.map(({ name }) => name)] },
  ]
}

function optionOf([name, { type, short, help }]: [string, OptionSpec]): DescribedOption {
  return { name, short, takesValue: type === "string", help }
}

function argumentsOf({ positionals = "", completes }: Command): Arguments {
  if (completes !== undefined) return completes
  return /^\[?ID/.test(positionals) ? "sessions" : "files"
}
