// Entry point of the command line: finds the command, parses its arguments, runs it, and turns an error into one line
// and an exit code.
import { nearestKey } from "../contract/text/nearest-key.ts"
import { AppFault, usageFault, exitCodes } from "../app/app-fault.ts"
import { parseCommandLine, type Command } from "./command.ts"
import { commandGroups, commands } from "./commands.ts"
import { withSourcePositions } from "./source-positions.ts"
import { watchOutput } from "./lost-output.ts"
import { redactStderr } from "../app/secrets/redacted-stderr.ts"
import { refuseToolProcess } from "../app/tool-process.ts"
import { version } from "../program/program-files.ts"

export async function main(argv: readonly string[]): Promise<number> {
  redactStderr()
  process.on("uncaughtException", (fault) => process.exit(explain(fault))) // Node would print it without redaction
  watchOutput()
  try {
    return await dispatch(argv)
  } catch (fault) {
    return explain(fault)
  }
}

async function dispatch(argv: readonly string[]): Promise<number> {
  const [first, ...others] = argv
  if (first === undefined ? !canOpen() : isHelp(first)) return help(others[0])
  if (first === "--version" || first === "-V" || first === "-v") return print(`turnhouse ${version()}\n`)
  const [name, rest] = first === undefined || opens(first) ? ["open", argv] : [first, others]
  const command = findCommand(name)
  const args = parseCommandLine(command, rest)
  if (args.flag("help")) return help(name)
  if (command.acts) refuseToolProcess(command.name)
  const { run } = await command.load()
  return run(args)
}

/** Without a terminal there is nothing to open. */
function canOpen(): boolean {
  return process.stdin.isTTY && process.stdout.isTTY
}

function isHelp(word: string): boolean {
  return word === "help" || word === "--help" || word === "-h"
}

/** An option or a sentence in place of a command: `open` can be left out. */
function opens(word: string): boolean {
  return word.startsWith("-") || /\s/.test(word.trim())
}

/** Loaded when needed: other commands start faster without it. */
async function help(topic: string | undefined): Promise<number> {
  const command = topic === undefined || topic === "all" ? undefined : findCommand(topic)
  const { commandHelp, fullHelp, generalHelp } = await import("./help.ts")
  const { textWidth } = await import("./print/hanging.ts")
  const width = textWidth(process.stdout)
  if (command !== undefined) return print(commandHelp(command, width))
  return print(topic === "all" ? fullHelp(commandGroups, width) : generalHelp(commandGroups, width))
}

function findCommand(name: string): Command {
  const command = commands.find((candidate) => candidate.name === name)
  if (command !== undefined) return command
  const names = commands.map((candidate) => candidate.name)
  const nearest = nearestKey(name, names)
  const advice = nearest?.close ? `Did you mean '${nearest.key}'?` : "'turnhouse --help' lists the commands."
  throw usageFault(`unknown command '${name}'. ${advice}`)
}

function print(text: string): number {
  process.stdout.write(text)
  return exitCodes.done
}

function explain(fault: unknown): number {
  if (fault instanceof AppFault) {
    process.stderr.write(`turnhouse: ${fault.message}\n`)
    return fault.exitCode
  }
  const detail = fault instanceof Error ? withSourcePositions(fault.stack ?? fault.message) : String(fault)
  process.stderr.write(`turnhouse: internal error. Please report it with the lines below.\n${detail}\n`)
  return exitCodes.failed
}
