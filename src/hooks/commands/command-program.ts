// Runs the program of a plugin's command in the plugin's folder, with a minimal environment, a process group of its own
// and a time limit. Ends everything the program started when it exits.
import type { GatedProcess } from "../../processes/gated-process.ts"
import type { ProcessSupervisor } from "../../processes/process-supervisor.ts"
import { timedOut, withTimeout, type Clock } from "../process/clock.ts"
import { resolveCommand, startFailure } from "../process/command-line.ts"
import { CommandText } from "./command-output.ts"
import type { CommandAnswer } from "../../contract/host-commands.ts"
import { failed, type CommandRun, type PluginCommand } from "./plugin-command.ts"
import type { PluginStarter } from "../process/plugin-sandbox.ts"

export interface ProgramDeps {
  readonly processes: ProcessSupervisor
  /** Owner of its processes. */
  readonly owner: string
  readonly starter: PluginStarter
  readonly clock: Clock
  readonly ms: number
}

type Program = Extract<PluginCommand["action"], { kind: "program" }>

/** Time to read remaining output after the exit, when a process it started still holds the pipe. */
const drainMs = 100

export async function runProgram(
  folder: string,
  { command, args, env, needs }: Program,
  callArgs: readonly string[],
  { signal, inPlan }: CommandRun,
  deps: ProgramDeps,
): Promise<CommandAnswer> {
  if (signal.aborted) return failed("it was cancelled")
  const { processes, owner, starter } = deps
  const program = { command: resolveCommand(folder, command), args: [...args, ...callArgs], folder, env, needs }
  const prepared = await starter.prepare(program, { isLater: true, readOnly: inPlan })
  if (prepared.kind === "refused") return failed(prepared.reason)
  const gated = await processes
    .spawn({ command: prepared.command, args: prepared.args, cwd: folder, env, owner })
    .catch(startFailure)
  if (typeof gated === "string") return failed(gated)
  const output = new CommandText()
  gated.stdout.on("data", (chunk: Uint8Array) => output.push(chunk))
  gated.stderr.on("data", (chunk: Uint8Array) => output.push(chunk))
  try {
    const failure = await outcome(gated, command, signal, deps)
    return failure === undefined
      ? { kind: "output", text: output.text }
      : failed([failure, output.text].join("\n").trimEnd())
  } finally {
    await gated.kill()
    gated.ignoreOutput()
  }
}

/** Why it failed; undefined if it did not. */
async function outcome(
  gated: GatedProcess,
  command: string,
  signal: AbortSignal,
  { clock, ms }: ProgramDeps,
): Promise<string | undefined> {
  const { promise: cancelled, resolve } = Promise.withResolvers<"cancelled">()
  const cancel = () => resolve("cancelled")
  signal.addEventListener("abort", cancel, { once: true })
  const silent = Promise.all([gated.stdout, gated.stderr].map((pipe) => closed(pipe)))
  gated.go()
  const end = await withTimeout(Promise.race([gated.exited, cancelled]), ms, clock)
  signal.removeEventListener("abort", cancel)
  if (end === "cancelled") return "it was cancelled"
  if (end === timedOut) return `it did not finish within ${ms / 1000} s`
  await withTimeout(silent, drainMs, clock)
  if (end.code === 0) return undefined
  if (end.code === 127) return `its program ${command} was not found`
  if (end.code === 126) return `its program ${command} cannot be run`
  return end.code === null ? `it was terminated by ${end.signal ?? "a signal"}` : `it ended with exit code ${end.code}`
}

function closed(pipe: GatedProcess["stdout"]): Promise<void> {
  return new Promise((resolve) => pipe.once("close", resolve))
}
