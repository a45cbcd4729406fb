// Help texts, made from the command tables.
import { helpOption, type Command, type OptionSpec } from "./command.ts"
import type { CommandGroup } from "./commands.ts"

const usage = "Usage: turnhouse COMMAND [OPTIONS]"

/** Fits a terminal of 24 lines: descriptions of the first group, names of the others. */
export function generalHelp(groups: readonly CommandGroup[]): string {
  const [first, ...others] = groups
  return [
    "Turnhouse hosts AI agent sessions in a durable log that clients can share.",
    usage,
    "",
    ...(first === undefined ? [] : groupHelp(first)),
    "",
    ...others.flatMap(namesOf),
    "",
    "turnhouse help all         all commands with a description",
    "turnhouse COMMAND --help   options of a command",
    "Home: $TURNHOUSE_HOME, by default ~/.turnhouse",
    "",
  ].join("\n")
}

/** The title of a group and the names of its commands, in lines that fit a terminal of 80 columns. */
function namesOf({ title, commands }: CommandGroup): readonly string[] {
  const lines: string[] = []
  for (const { name } of commands) {
    const last = lines.at(-1)
    if (last === undefined || last.length + 1 + name.length > MAX_NAMES_WIDTH) lines.push(name)
    else lines[lines.length - 1] = `${last} ${name}`
  }
  return lines.map((line, at) => `${(at === 0 ? title : "").padEnd(TITLE_WIDTH)}  ${line}`)
}

const TITLE_WIDTH = "Administration".length
const MAX_NAMES_WIDTH = 80 - TITLE_WIDTH - 2

export function fullHelp(groups: readonly CommandGroup[]): string {
  const parts = groups.flatMap((group) => ["", ...groupHelp(group)])
  return [`${usage} (COMMAND --help lists the options)`, ...parts, ""].join("\n")
}

function groupHelp({ title, commands }: CommandGroup): readonly string[] {
  return [title, ...commands.map(({ name, summary }) => `  ${name.padEnd(nameWidth)}  ${summary}`)]
}

/** The longest name of a command. */
const nameWidth = "completion".length

export function commandHelp({ name, summary, positionals = "", options, details }: Command): string {
  const all = Object.entries<OptionSpec>({ ...options, ...helpOption })
  const left = all.map(([option, spec]) => optionLabel(option, spec))
  const width = Math.max(...left.map((label) => label.length))
  return [
    `${summary}.`,
    "",
    `Usage: ${["turnhouse", name, positionals, "[OPTIONS]"].filter((part) => part !== "").join(" ")}`,
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
