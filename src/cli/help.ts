// Help texts, made from the command tables, for a terminal of any width.
import { helpOption, type Command, type OptionSpec } from "./command.ts"
import type { CommandGroup } from "./commands.ts"
import { hanging, reflowed } from "./print/hanging.ts"

const usage = "Usage: turnhouse COMMAND [OPTIONS]"

/** Fits a terminal of 24 lines and 80 columns: descriptions of the first group, names of the others. */
export function generalHelp(groups: readonly CommandGroup[], width: number): string {
  const [first, ...others] = groups
  return [
    ...hanging("", "Turnhouse hosts AI agent sessions in a durable log that clients can share.", width),
    usage,
    "",
    ...(first === undefined ? [] : groupHelp(first, width)),
    "",
    ...others.flatMap(({ title, commands }) =>
      hanging(`${title.padEnd(TITLE_WIDTH)}  `, commands.map(({ name }) => name).join(" "), width),
    ),
    "",
    ...hanging("", "turnhouse help all: every command, described. COMMAND --help: its options.", width),
    ...hanging("", "Home: $TURNHOUSE_HOME, by default ~/.turnhouse", width),
    "",
  ].join("\n")
}

const TITLE_WIDTH = "Administration".length

export function fullHelp(groups: readonly CommandGroup[], width: number): string {
  const parts = groups.flatMap((group) => ["", ...groupHelp(group, width)])
  return [...hanging("", `${usage} (COMMAND --help lists the options)`, width), ...parts, ""].join("\n")
}

function groupHelp({ title, commands }: CommandGroup, width: number): readonly string[] {
  return [title, ...commands.flatMap(({ name, summary }) => hanging(`  ${name.padEnd(nameWidth)}  `, summary, width))]
}

/** The longest name of a command. */
const nameWidth = "completion".length

export function commandHelp({ name, summary, positionals = "", options, details }: Command, width: number): string {
  const all = Object.entries<OptionSpec>({ ...options, ...helpOption })
  const left = all.map(([option, spec]) => optionLabel(option, spec))
  const labelWidth = Math.max(...left.map((label) => label.length))
  return [
    ...hanging("", `${summary}.`, width),
    "",
    ...hanging("Usage: ", ["turnhouse", name, positionals, "[OPTIONS]"].filter((part) => part !== "").join(" "), width),
    "",
    "Options:",
    ...all.flatMap(([, spec], index) => hanging(`  ${(left[index] ?? "").padEnd(labelWidth)}  `, spec.help, width)),
    ...(details === undefined ? [] : ["", ...reflowed(details, width)]),
    "",
  ].join("\n")
}

export function optionLabel(name: string, { short, value }: OptionSpec): string {
  return `${short === undefined ? "    " : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`
}
