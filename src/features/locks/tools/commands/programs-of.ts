// The programs that a command line runs, each with its arguments and folder: in pipelines and lists, after assignments and
// programs that only start others, and in shells that get their script as an argument or here-document. What a script
// file, a pipe or a variable would run is not known. Pure.
import { resolve } from "node:path"
import { shellTokens, type Token } from "./shell-tokens.ts"

export interface Program {
  /** Without its folder. */
  readonly name: string
  readonly args: readonly string[]
  readonly folder: string
}

/** Maximum nesting of shells. */
const deepest = 6
/** Characters of a path; longer ones do not exist. */
const longestPath = 4096

export function programsOf(commandLine: string, folder: string, depth = 0): readonly Program[] {
  if (depth > deepest) return []
  const programs: Program[] = []
  const folders: string[] = []
  let here = folder
  for (const { words, inside, inputs, after } of simpleCommands(shellTokens(commandLine))) {
    programs.push(...inside.flatMap((script) => programsOf(script, here, depth + 1)))
    programs.push(...runBy(words, here, depth))
    if (readsScript(words)) programs.push(...inputs.flatMap((script) => programsOf(script, here, depth + 1)))
    here = folderAfter(words, here)
    if (after === "(") folders.push(here)
    if (after === ")") here = folders.pop() ?? here
  }
  return programs
}

interface SimpleCommand {
  readonly words: readonly string[]
  readonly inside: readonly string[]
  readonly inputs: readonly string[]
  /** How it ends. */
  readonly after: "(" | ")" | ";"
}

function simpleCommands(tokens: readonly Token[]): readonly SimpleCommand[] {
  const commands: SimpleCommand[] = []
  let words: string[] = []
  let inside: string[] = []
  let inputs: string[] = []
  for (const token of [...tokens, { kind: "end", sign: ";" } as const]) {
    if (token.kind === "word") {
      words.push(token.text)
      inside.push(...token.inside)
      continue
    }
    if (token.kind === "input") {
      inputs.push(token.text)
      continue
    }
    commands.push({ words, inside, inputs, after: token.sign })
    words = []
    inside = []
    inputs = []
  }
  return commands
}

/** Keywords that precede a command. */
const keywords = new Set(["if", "then", "elif", "else", "while", "until", "do", "!", "{", "}", "coproc"])
const assignment = /^[A-Za-z_]\w*\+?=/

function commandWords(words: readonly string[]): readonly string[] {
  if (words[0] === "function") return commandWords(words.slice(2))
  const first = words.findIndex((word) => !keywords.has(word) && !assignment.test(word) && word !== "")
  return first === -1 ? [] : words.slice(first)
}

function folderAfter(words: readonly string[], here: string): string {
  const [name, ...args] = commandWords(words)
  if (name !== "cd" && name !== "pushd") return here
  const target = args.find((arg) => !arg.startsWith("-"))
  if (target === undefined || /[$~]/.test(target) || here.length + target.length > longestPath) return here
  return resolve(here, target)
}

function runBy(words: readonly string[], folder: string, depth: number): readonly Program[] {
  const [first, ...args] = commandWords(words)
  if (first === undefined || depth > deepest) return []
  const name = first.slice(first.lastIndexOf("/") + 1)
  if (shells.has(name)) return inShell(args, folder, depth)
  if (name === "eval") return programsOf(args.join(" "), folder, depth + 1)
  if (name === "find") return forEachFound(args).flatMap((command) => runBy(command, folder, depth + 1))
  const rest = started(name, args)
  return rest === undefined ? [{ name, args, folder }] : runBy(rest, folder, depth + 1)
}

const shells = new Set(["sh", "bash", "dash", "zsh", "ksh", "ash"])

function inShell(args: readonly string[], folder: string, depth: number): readonly Program[] {
  const flag = args.findIndex(isScriptFlag)
  const script = flag === -1 ? undefined : args.slice(flag + 1).find((arg) => arg !== "--")
  return script === undefined ? [] : programsOf(script, folder, depth + 1)
}

function isScriptFlag(arg: string): boolean {
  return /^-[a-z]+$/i.test(arg) && /c/i.test(arg)
}

/** Whether it is a shell without a script argument or file, possibly started by another program. */
function readsScript(words: readonly string[]): boolean {
  const at = commandWords(words).findIndex((word) => shells.has(word.slice(word.lastIndexOf("/") + 1)))
  if (at === -1) return false
  const args = commandWords(words).slice(at + 1)
  return !args.some(isScriptFlag) && (args.includes("-s") || afterOptions(args, ["-o", "+o"]).length === 0)
}

/** The commands that `find` runs for each file. */
function forEachFound(args: readonly string[]): readonly (readonly string[])[] {
  const commands: (readonly string[])[] = []
  let start = -1
  for (const [at, arg] of args.entries()) {
    if (start === -1 && /^-(?:exec|ok)(?:dir)?$/.test(arg)) start = at + 1
    if (start === -1 || (arg !== ";" && arg !== "+")) continue
    commands.push(args.slice(start, at))
    start = -1
  }
  return commands
}

/** Programs that start another one, with their options that take a value. */
const starters: Readonly<Record<string, readonly string[]>> = {
  sudo: ["-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T", "-U", "--user", "--group"],
  doas: ["-u", "-C"],
  env: ["-u", "-C", "-S", "--unset", "--chdir"],
  "cross-env": [],
  time: ["-f", "-o"],
  watch: ["-n", "--interval"],
  strace: ["-o", "-e", "-s"],
  nice: ["-n"],
  ionice: ["-c", "-n", "-p"],
  nohup: [],
  setsid: [],
  stdbuf: ["-i", "-o", "-e"],
  command: [],
  builtin: [],
  exec: ["-a"],
  xargs: ["-I", "-n", "-P", "-L", "-d", "-a", "-E", "-s", "--max-args", "--max-procs", "--delimiter"],
  npx: ["-p", "--package"],
  pnpx: [],
  bunx: [],
  corepack: [],
}
/** Programs that start another one after a subcommand. */
const starterWords: Readonly<Record<string, readonly string[]>> = {
  npm: ["exec", "x"],
  pnpm: ["exec", "dlx"],
  yarn: ["exec", "dlx"],
  bun: ["x"],
  bundle: ["exec"],
  poetry: ["run"],
  pipenv: ["run"],
  uv: ["run"],
  hatch: ["run"],
  rye: ["run"],
}

/** The command that it starts; undefined for a program that does its work itself. */
function started(name: string, args: readonly string[]): readonly string[] | undefined {
  if (name === "timeout") return afterOptions(args, ["-k", "-s", "--kill-after", "--signal"]).slice(1)
  if (name === "flock") return afterOptions(args, ["-w", "-E", "--timeout"]).slice(1)
  const valued = Object.hasOwn(starters, name) ? starters[name] : undefined
  if (valued !== undefined) return afterOptions(args, valued)
  const words = Object.hasOwn(starterWords, name) ? starterWords[name] : undefined
  if (words?.includes(args[0] ?? "") === true) return afterOptions(args.slice(1), [])
  return /^python[\d.]*$/.test(name) ? pythonModule(args) : undefined
}

function pythonModule(args: readonly string[]): readonly string[] | undefined {
  const at = args.indexOf("-m")
  return at !== -1 && afterOptions(args.slice(0, at), ["-W", "-X"]).length === 0 ? args.slice(at + 1) : undefined
}

function afterOptions(args: readonly string[], valued: readonly string[]): readonly string[] {
  let at = 0
  while (at < args.length && args[at]?.startsWith("-") === true) {
    if (args[at] === "--") return args.slice(at + 1)
    at += valued.includes(args[at] ?? "") ? 2 : 1
  }
  return args.slice(at)
}
