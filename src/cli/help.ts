// Help texts, made from the command table.
import { helpOption, type Command, type OptionSpec } from "./command.ts"

export function generalHelp(commands: readonly Command[]): string {
  const width = Math.max(...commands.map((command) => command.name.length))
  const rows = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`)
  return [
    "Turnhouse hosts agent sessions: one durable log, nothing lost, nothing done twice.",
    "",
    "Usage: turnhouse COMMAND [OPTIONS]",
    "",
    "Commands:",
    ...rows,
    "",
    "'turnhouse COMMAND --help' tells more. Home: $TURNHOUSE_HOME, default ~/.turnhouse.",
    "",
  ].join("\n")
}

export function commandHelp({ name, summary, positionals, options, details }: Command): string {
  const all = Object.entries<OptionSpec>({ ...options, ...helpOption })
  const left = all.map(([option, spec]) => optionLabel(option, spec))
  const width = Math.max(...left.map((label) => label.length))
  const usage = ["turnhouse", name, positionals, "[OPTIONS]"].filter((part) => part !== "").join(" ")
  return [
    summary,
    "",
    `Usage: ${usage}`,
    "",
    "Options:",
    ...all.map(([, spec], index) => `  ${(left[index] ?? "").padEnd(width)}  ${spec.help}`),
    ...(details === undefined ? [] : ["", details]),
    "",
  ].join("\n")
}

function optionLabel(name: string, { short, value }: OptionSpec): string {
  return `${short === undefined ? "    " : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`
}
