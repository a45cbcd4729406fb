// Runs the program of a plugin's command: in the plugin's folder, with an environment of a handful of variables, in a
// process group of its own, for a limited time. When it is over, so is everything it has started.
import type { GatedProcess } from "../../processes/gated-process.ts"
import type { ProcessKeeper } from "../../processes/process-keeper.ts"
import { tooLate, within, type Clock } from "../process/clock.ts"
import { resolveCommand } from "../process/command-line.ts"
import { CommandText } from "./command-output.ts"
import type { CommandAnswer } from "../../contract/typed-commands.ts"
import { failed, type CommandRun, type PluginCommand } from "./plugin-command.ts"
import type { PluginStarter } from "../process/plugin-sandbox.ts"

export interface ProgramDeps {
  readonly processes: ProcessKeeper
  /** Whom its processes belong to. */
  readonly keptFor: string
  readonly starter: PluginStarter
  readonly clock: Clock
  readonly ms: number
}

type Program = Extract<PluginCommand["does"], { kind: "program" }>

/** How long after its end its last words may take, when a process it started holds the pipe. */
const lastWordsMs = 100

export async function runProgram(
  folder: string,
  { command, args, env, needs }: Program,
  words: readonly string[],
  { signal, inPlan }: CommandRun,
  deps: ProgramDeps,
): Promise<CommandAnswer> {
  if (signal.aborted) return failed("it was called off")
  const { processes, keptFor: owner, starter } = deps
  const program = { command: resolveCommand(folder, command), args: [...args, ...words], folder, env, needs }
  const prepared = await starter.prepare(program, { isLater: true, onlyReads: inPlan })
  if (prepared.kind === "refused") return failed(prepared.why)
  const gated = await processes
    .spawn({ command: prepared.command, args: prepared.args, cwd: folder, env, owner })
    .catch(inWords)
  if (typeof gated === "string") return failed(gated)
  const output = new CommandText()
  gated.stdout.on("data", (chunk: Uint8Array) => output.push(chunk))
  gated.stderr.on("data", (chunk: Uint8Array) => output.push(chunk))
  try {
    const why = await outcome(gated, command, signal, deps)
    return why === undefined ? { kind: "output", text: output.text } : failed([why, output.text].join("\n").trimEnd())
  } finally {
    await gated.kill()
    gated.ignoreOutput()
  }
}

/** Why it did not end well, or nothing. */
async function outcome(
  gated: GatedProcess,
  command: string,
  signal: AbortSignal,
  { clock, ms }: ProgramDeps,
): Promise<string | undefined> {
  const { promise: calledOff, resolve } = Promise.withResolvers<"called off">()
  const callOff = () => resolve("called off")
  signal.addEventListener("abort", callOff, { once: true })
  const silent = Promise.all([gated.stdout, gated.stderr].map((pipe) => closed(pipe)))
  gated.go()
  const end = await within(Promise.race([gated.exited, calledOff]), ms, clock)
  signal.removeEventListener("abort", callOff)
  if (end === "called off") return "it was called off"
  if (end === tooLate) return `it did not end in ${ms / 1000} s`
  await within(silent, lastWordsMs, clock)
  if (end.code === 0) return undefined
  if (end.code === 127) return `its program ${command} was not found`
  if (end.code === 126) return `its program ${command} cannot be run`
  return end.code === null ? `it was ended by ${end.signal ?? "a signal"}` : `it ended with exit code ${end.code}`
}

function closed(pipe: GatedProcess["stdout"]): Promise<void> {
  return new Promise((resolve) => pipe.once("close", resolve))
}

function inWords(fault: unknown): string {
  return `it could not be started: ${fault instanceof Error ? fault.message : String(fault)}`
}
