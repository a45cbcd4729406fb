// Runs the command of a shell hook in the session's folder, in the sandbox of tools, with a time limit. Everything that it
// started ends with it.
import type { JsonValue } from "../../contract/values.ts"
import type { Exit, GatedProcess } from "../../processes/gated-process.ts"
import type { ProcessSupervisor } from "../../processes/process-supervisor.ts"
import type { Sandbox } from "../../processes/sandbox.ts"
import { CommandText } from "../commands/command-output.ts"
import { systemClock, timedOut, withTimeout } from "../process/clock.ts"
import { startFailure } from "../process/command-line.ts"
import type { EndedHook } from "./hook-answer.ts"

export interface HookProcessDeps {
  readonly processes: ProcessSupervisor
  readonly sandbox: Sandbox
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

/** Whose processes they are, and when they must end. */
export interface HookLife {
  readonly owner: string
  readonly signal: AbortSignal
}

/** Time to read remaining output after the exit, when a process it started still holds the pipe. */
const drainMs = 100

/** A string says why it did not run to its end. */
export async function runHook(
  commandLine: string,
  input: JsonValue,
  ms: number,
  { processes, sandbox, cwd, env }: HookProcessDeps,
  { owner, signal }: HookLife,
): Promise<EndedHook | string> {
  const problem = await sandbox.problem(cwd)
  if (problem !== undefined) return problem
  const { command, args } = await sandbox.wrap({ command: "/bin/sh", args: ["-c", commandLine] }, cwd)
  const stdin = { text: `${JSON.stringify(input)}\n` }
  const request = { command, args, stdin, env: { ...env, CLAUDE_PROJECT_DIR: cwd }, cwd, owner }
  const gated = await processes.spawn(request).catch(startFailure)
  if (typeof gated === "string") return gated
  const stdout = collected(gated.stdout)
  const stderr = collected(gated.stderr)
  try {
    const end = await ended(gated, ms, signal)
    if (typeof end === "string") return end
    return { code: end.code ?? 1, stdout: stdout.text, stderr: stderr.text }
  } finally {
    await gated.kill()
    gated.ignoreOutput()
  }
}

function collected(pipe: GatedProcess["stdout"]): CommandText {
  const text = new CommandText()
  pipe.on("data", (chunk: Uint8Array) => text.push(chunk))
  return text
}

async function ended(gated: GatedProcess, ms: number, signal: AbortSignal): Promise<Exit | string> {
  const { promise: aborted, resolve } = Promise.withResolvers<"aborted">()
  const abort = () => resolve("aborted")
  if (signal.aborted) abort()
  signal.addEventListener("abort", abort, { once: true })
  const silent = Promise.all([gated.stdout, gated.stderr].map((pipe) => closed(pipe)))
  gated.go()
  const end = await withTimeout(Promise.race([gated.exited, aborted]), ms, systemClock)
  signal.removeEventListener("abort", abort)
  if (end === "aborted") return "the session was closed"
  if (end === timedOut) return `it did not finish within ${ms / 1000} s`
  await withTimeout(silent, drainMs, systemClock)
  return end
}

function closed(pipe: GatedProcess["stdout"]): Promise<void> {
  return new Promise((resolve) => pipe.once("close", resolve))
}
