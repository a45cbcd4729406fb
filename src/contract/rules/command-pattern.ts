// The pattern that is offered for a shell command: its program and subcommand, with any arguments. Programs that are not
// listed, and everything but a single plain command, are offered as they are. Not listed are programs whose arguments can
// run other programs or fetch code, and those that read files outside the folder.

/** How many words name what a command does. The longest entry that matches counts. */
const namingWords: Readonly<Record<string, number>> = {
  "bun run": 3,
  "bun test": 2,
  "cargo build": 2,
  "cargo check": 2,
  "cargo clippy": 2,
  "cargo fmt": 2,
  "cargo test": 2,
  "deno check": 2,
  "deno lint": 2,
  "deno test": 2,
  "dotnet build": 2,
  "dotnet test": 2,
  "git add": 2,
  "git branch": 2,
  "git commit": 2,
  "git diff": 2,
  "git fetch": 2,
  "git log": 2,
  "git merge": 2,
  "git pull": 3,
  "git push": 3,
  "git show": 2,
  "git stash": 2,
  "git status": 2,
  "git switch": 2,
  "go build": 2,
  "go test": 2,
  "go vet": 2,
  "gradle test": 2,
  "mvn test": 2,
  "npm run": 3,
  "npm test": 2,
  "npx eslint": 2,
  "npx jest": 2,
  "npx prettier": 2,
  "npx tsc": 2,
  "npx vitest": 2,
  "pnpm run": 3,
  "pnpm test": 2,
  "yarn run": 3,
  "yarn test": 2,
  eslint: 1,
  ls: 1,
  make: 2,
  mkdir: 1,
  mypy: 1,
  oxlint: 1,
  prettier: 1,
  pytest: 1,
  ruff: 2,
  touch: 1,
  tsc: 1,
  vitest: 1,
}

/** Letters of words that mean themselves in every shell. */
const PLAIN_WORD = /^[\w@%+:,./=-]+$/
/** Of the arguments, which the pattern does not repeat. */
const PLAIN_ARGUMENTS = /^[^;&|<>()$`]*$/

export function commandPattern(command: string): string {
  const text = command.trim()
  if (!PLAIN_ARGUMENTS.test(text) || /[^\P{Cc}\t]/u.test(text)) return command
  const words = text.split(/[ \t]+/)
  const count = namingWords[words.slice(0, 2).join(" ")] ?? namingWords[words[0] ?? ""] ?? Infinity
  const named = words.slice(0, count)
  const isNamed = named.every((word, at) => PLAIN_WORD.test(word) && !(at > 0 && word.startsWith("-")))
  if (words.length <= count || !isNamed || !command.startsWith(`${named.join(" ")} `)) return command
  return `${named.join(" ")} *`
}
