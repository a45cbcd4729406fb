// Completion for zsh: `source <(turnhouse completion zsh)`, or a file `_turnhouse` in a folder of `fpath`.
import type { DescribedCommand, DescribedOption } from "./described.ts"

export function zshCompletion(commands: readonly DescribedCommand[]): string {
  const names = commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`)
  return `#compdef turnhouse
_turnhouse_sessions() {
  compadd -- \${(f)"$(turnhouse ls --all 2>/dev/null | sed -n '2,$s/ .*//p')"}
}
_turnhouse_approvals() {
  compadd -- \${(f)"$(turnhouse approvals 2>/dev/null | grep -o '^apr_[0-9a-z]*')"}
}
_turnhouse() {
  local -a known
  known=(
${names.join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe command known
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${commands.map(arm).join("\n")}
  esac
}
if [ "$funcstack[1]" = "_turnhouse" ]; then
  _turnhouse "$@"
else
  compdef _turnhouse turnhouse
fi
`
}

function arm({ name, options, completions }: DescribedCommand): string {
  const firstArgument = typeof completions === "string" ? [] : [quoted(`1:argument:${actionOf(completions)}`)]
  const otherArguments = quoted(`*:argument:${typeof completions === "string" ? actionOf(completions) : "_files"}`)
  const specs = [...options.flatMap(optionSpecs), ...firstArgument, otherArguments]
  return `    ${name}) _arguments -s ${specs.join(" ")} ;;`
}

function optionSpecs({ name, short, takesValue, help }: DescribedOption): readonly string[] {
  const text = `[${help.replaceAll(/[[\]:\\]/g, "\\$&")}]${takesValue ? ":value:_default" : ""}`
  return [quoted(`--${name}${text}`), ...(short === undefined ? [] : [quoted(`-${short}${text}`)])]
}

function actionOf(completions: DescribedCommand["completions"]): string {
  if (typeof completions !== "string") return `(${completions.join(" ")})`
  return completions === "files" ? "_files" : `_turnhouse_${completions}`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
