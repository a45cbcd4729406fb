// Completion for bash: `source <(turnhouse completion bash)`. Ids are listed by running Turnhouse; elsewhere bash
// completes file names.
import type { DescribedCommand } from "./described.ts"

export function bashCompletion(commands: readonly DescribedCommand[]): string {
  const names = commands.map(({ name }) => name)
  return `# bash completion for turnhouse
_turnhouse() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous= options= valued= words=
  COMPREPLY=()
  if [ "$COMP_CWORD" -le 1 ]; then
    COMPREPLY=($(compgen -W "${[...names, "--help", "--version"].join(" ")}" -- "$current"))
    return
  fi
  previous=\${COMP_WORDS[COMP_CWORD-1]}
  case \${COMP_WORDS[1]} in
${commands.map(arm).join("\n")}
    *) return ;;
  esac
  case " $valued " in
    *" $previous "*) return ;;
  esac
  case $current in
    -*) words=$options ;;
    *)
      case $words in
        @first*) if [ "$COMP_CWORD" -eq 2 ]; then words=\${words#@first }; else words=; fi ;;
        @sessions) words=$(turnhouse ls --all 2>/dev/null | sed -n '2,$s/ .*//p') ;;
        @approvals) words=$(turnhouse approvals 2>/dev/null | grep -o '^apr_[0-9a-z]*') ;;
      esac
      ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _turnhouse turnhouse
`
}

function arm({ name, options, completions }: DescribedCommand): string {
  const every = options.map((option) => `--${option.name}`)
  const valued = options
    .filter(({ takesValue }) => takesValue)
    .flatMap(({ name: long, short }) => [`--${long}`, ...(short === undefined ? [] : [`-${short}`])])
  return `    ${name}) options="${every.join(" ")}" valued="${valued.join(" ")}" words="${candidatesOf(completions)}" ;;`
}

function candidatesOf(completions: DescribedCommand["completions"]): string {
  if (typeof completions !== "string") return ["@first", ...completions].join(" ")
  return completions === "files" ? "" : `@${completions}`
}
