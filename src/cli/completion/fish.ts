// Completion for fish: `turnhouse completion fish | source`.
import type { DescribedCommand, DescribedOption } from "./described.ts"

export function fishCompletion(commands: readonly DescribedCommand[]): string {
  return [
    "# fish completion for turnhouse",
    "complete -c turnhouse -n __fish_use_subcommand -l help -d 'Show help.'",
    "complete -c turnhouse -n __fish_use_subcommand -l version -d 'Show the version.'",
    ...commands.flatMap(linesOf),
    "",
  ].join("\n")
}

function linesOf({ name, summary, options, completions }: DescribedCommand): readonly string[] {
  const inside = `complete -c turnhouse -n '__fish_seen_subcommand_from ${name}'`
  return [
    `complete -c turnhouse -f -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
    ...options.map((option) => `${inside}${flagsOf(option)}`),
    ...(completions === "files"
      ? []
      : [
          `${typeof completions === "string" ? inside : beforeFirstArgument(name, completions)} -f -a ${quoted(candidatesOf(completions))}`,
        ]),
  ]
}

/** If none of the words is given yet. */
function beforeFirstArgument(name: string, terms: readonly string[]): string {
  const condition = `__fish_seen_subcommand_from ${name}; and not __fish_seen_subcommand_from ${terms.join(" ")}`
  return `complete -c turnhouse -n '${condition}'`
}

function flagsOf({ name, short, takesValue, help }: DescribedOption): string {
  const letter = short === undefined ? "" : ` -s ${short}`
  return ` -l ${name}${letter}${takesValue ? " -r" : ""} -d ${quoted(help)}`
}

function candidatesOf(completions: Exclude<DescribedCommand["completions"], "files">): string {
  if (completions === "sessions") return String.raw`(turnhouse ls --all 2>/dev/null | sed -n "2,\$s/ .*//p")`
  if (completions === "approvals") return '(turnhouse approvals 2>/dev/null | string match -r "^apr_[0-9a-z]*")'
  return completions.join(" ")
}

function quoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`
}
