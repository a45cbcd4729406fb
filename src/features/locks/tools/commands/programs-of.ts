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
const MAX_DEPTH = 6
/** Characters of a path; longer ones do not exist. */
const MAX_PATH_LENGTH = 4096

export function programsOf(commandLine: string, folder: string, depth = 0): readonly Program[] {
  if (depth > MAX_DEPTH) return []
  const programs: Program[] = []
  const folders: string[] = []
  let cwd = folder
  for (const { argv, substitutions, inputs, after } of simpleCommands(shellTokens(commandLine))) {
    programs.push(...substitutions.flatMap((script) => programsOf(script, cwd, depth + 1)))
    programs.push(...programsStartedBy(argv, cwd, depth))
    if (readsScript(argv)) programs.push(...inputs.flatMap((script) => programsOf(script, cwd, depth + 1)))
    cwd = folderAfter(argv, cwd)
    if (after === "(") folders.push(cwd)
    if (after === ")") cwd = folders.pop() ?? cwd
  }
  return programs
}

interface SimpleCommand {
  readonly argv: readonly string[]
  readonly substitutions: readonly string[]
  readonly inputs: readonly string[]
  /** How it ends. */
  readonly after: "(" | ")" | ";"
}

function simpleCommands(tokens: readonly Token[]): readonly SimpleCommand[] {
  const commands: SimpleCommand[] = []
  let argv: string[] = []
  let substitutions: string[] = []
  let inputs: string[] = []
  for (const token of [...tokens, { kind: "end", operator: ";" } as const]) {
    if (token.kind === "word") {
      argv.push(token.text)
      substitutions.push(...token.substitutions)
      continue
    }
    if (token.kind === "input") {
      inputs.push(token.text)
      continue
    }
    commands.push({ argv, substitutions, inputs, after: token.operator })
    argv = []
    substitutions = []
    inputs = []
  }
  return commands
}

/** Keywords that precede a command. */
const keywords = new Set(["if", "then", "elif", "else", "while", "until", "do", "!", "{", "}", "coproc"])
const assignment = /^[A-Za-z_]\w*\+?=/

function commandArgs(argv: readonly string[]): readonly string[] {
  if (argv[0] === "function") return commandArgs(argv.slice(2))
  const first = argv.findIndex((arg) => !keywords.has(arg) && !assignment.test(arg) && arg !== "")
  return first === -1 ? [] : argv.slice(first)
}

function folderAfter(argv: readonly string[], cwd: string): string {
  const [name, ...args] = commandArgs(argv)
  if (name !== "cd" && name !== "pushd") return cwd
  const target = args.find((arg) => !arg.startsWith("-"))
  if (target === undefined || /[$~]/.test(target) || cwd.length + target.length > MAX_PATH_LENGTH) return cwd
  return resolve(cwd, target)
}

function programsStartedBy(argv: readonly string[], folder: string, depth: number): readonly Program[] {
  const [first, ...args] = commandArgs(argv)
  if (first === undefined || depth > MAX_DEPTH) return []
  const name = first.slice(first.lastIndexOf("/") + 1)
  if (shells.has(name)) return programsOfShell(args, folder, depth)
  if (name === "eval") return programsOf(args.join(" "), folder, depth + 1)
  if (name === "find") return forEachFound(args).flatMap((command) => programsStartedBy(command, folder, depth + 1))
  const rest = launchedCommand(name, args)
  return rest === undefined ? [{ name, args, folder }] : programsStartedBy(rest, folder, depth + 1)
}

const shells = new Set(["sh", "bash", "dash", "zsh", "ksh", "ash"])

function programsOfShell(args: readonly string[], folder: string, depth: number): readonly Program[] {
  const flag = args.findIndex(isScriptFlag)
  const script = flag === -1 ? undefined : args.slice(flag + 1).find((arg) => arg !== "--")
  return script === undefined ? [] : programsOf(script, folder, depth + 1)
}

function isScriptFlag(arg: string): boolean {
  return /^-[a-z]+$/i.test(arg) && /c/i.test(arg)
}

/** Whether it is a shell without a script argument or file, possibly started by another program. */
function readsScript(argv: readonly string[]): boolean {
  const at = commandArgs(argv).findIndex((arg) => shells.has(arg.slice(arg.lastIndexOf("/") + 1)))
  if (at === -1) return false
  const args = commandArgs(argv).slice(at + 1)
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
const launchers: Readonly<Record<string, readonly string[]>> = {
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
const launcherSubcommands: Readonly<Record<string, readonly string[]>> = {
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
function launchedCommand(name: string, args: readonly string[]): readonly string[] | undefined {
  if (name === "timeout") return afterOptions(args, ["-k", "-s", "--kill-after", "--signal"]).slice(1)
  if (name === "flock") return afterOptions(args, ["-w", "-E", "--timeout"]).slice(1)
  const valued = Object.hasOwn(launchers, name) ? launchers[name] : undefined
  if (valued !== undefined) return afterOptions(args, valued)
  const subcommands = Object.hasOwn(launcherSubcommands, name) ? launcherSubcommands[name] : undefined
  if (subcommands?.includes(args[0] ?? "") === true) return afterOptions(args.slice(1), [])
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
