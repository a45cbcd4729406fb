// Runs a command line in a shell, behind its gate: the process is known before it begins. The call ends with the shell;
// what the shell left in the background goes on, and ends with its session or its host at the latest. Timeout and
// cancellation end everything the command has started.
import { checks, toolInputSchemas } from "../contract/generated/tool-inputs.js"
import type { BashInput } from "../contract/tool-inputs.ts"
import type { GatedProcess } from "../processes/gated-process.ts"
import { cancelled, defineTool, failed, inOneGo } from "./define-tool.ts"
import { BoundedOutput } from "./output-bound.ts"
import { findBash, shellCall, startCommand, type CommandDeps } from "./start-command.ts"
import { tellRun, watchRun } from "./watch-run.ts"
import type { PreparedCall, Tool, ToolContext, ToolResult } from "./tool.ts"
import { stripVTControlCharacters } from "node:util"

const defaultTimeout = 120

export function bashTool(deps: CommandDeps): Tool {
  return defineTool<BashInput>({
    name: "bash",
    description:
      "Runs a shell command in the working folder and returns what it prints. It gets no input; a command that needs long can be given a timeout or be put in the background.",
    class: "unsafe",
    check: checks.bash,
    inputSchema: toolInputSchemas.bash,
    locks: async (input, cwd) =>
      (await import("../features/locks/tools/command-locks.ts")).commandLocks(input.command, cwd),
    prepare: (input, context) => prepare(input, context, deps),
  })
}

async function prepare(input: BashInput, context: ToolContext, deps: CommandDeps): Promise<PreparedCall> {
  const problem = impossible(input.command)
  if (problem !== undefined) return inOneGo(context, async () => failed(problem))
  const { env } = context
  const started = await startCommand(deps, { ...shellCall(input.command, findBash(env)), env }, context)
  if (started.kind === "no") return inOneGo(context, async () => failed(started.why))
  const { gated } = started
  return { process: gated.process, run: () => letGo(gated, input, context), abandon: () => gated.abandon() }
}

async function letGo(gated: GatedProcess, input: BashInput, context: ToolContext): Promise<ToolResult> {
  if (context.signal.aborted) {
    gated.abandon()
    return cancelled
  }
  const began = performance.now()
  const output = new BoundedOutput()
  const lastLine = new LastLine((line) => context.progress(line))
  gated.stdout.on("data", (chunk: Uint8Array) => {
    output.push(chunk)
    lastLine.push(chunk)
  })
  gated.go()
  const timeoutSeconds = input.timeout ?? defaultTimeout
  const end = await watchRun(gated, timeoutSeconds * 1000, context.signal)
  lastLine.stop()
  const durationMs = Math.round(performance.now() - began)
  const printed = output.text(context.scrubber).replace(/\n$/, "")
  return tellRun(end, printed, { timeoutSeconds, durationMs, truncated: output.truncated })
}

function impossible(command: string): string | undefined {
  return command.includes("\0") ? "A command cannot hold the character NUL." : undefined
}

const intervalMs = 250
/** A longer line is not told. */
const longestLine = 4096
const lineFeed = 10
const carriageReturn = 13

export class LastLine {
  readonly #tell: (line: string) => void
  /** The beginning of a line that goes on in the next chunk. */
  #open = Buffer.alloc(0)
  #line = ""
  #toldAt = -Infinity
  #timer: NodeJS.Timeout | undefined

  constructor(tell: (line: string) => void) {
    this.#tell = tell
  }

  push(chunk: Uint8Array): void {
    const end = Math.max(chunk.lastIndexOf(lineFeed), chunk.lastIndexOf(carriageReturn))
    const whole = end < 0 ? undefined : newestLine(Buffer.concat([this.#open, chunk.subarray(0, end)]))
    const before = end < 0 ? this.#open : Buffer.alloc(0)
    this.#open = Buffer.concat([before, chunk.subarray(end + 1)]).subarray(-longestLine - 1)
    if (whole === undefined) return
    this.#line = stripVTControlCharacters(whole)
    const wait = this.#toldAt + intervalMs - performance.now()
    if (wait <= 0) this.#tellNow()
    else this.#timer ??= setTimeout(() => this.#tellNow(), wait)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #tellNow(): void {
    this.stop()
    this.#toldAt = performance.now()
    this.#tell(this.#line)
  }
}

function newestLine(done: Buffer): string | undefined {
  const lines = done
    .subarray(-longestLine)
    .toString("utf8")
    .split(/[\r\n]+/)
  if (done.length > longestLine) lines.shift() // its beginning is missing
  return lines.findLast((line) => line.trim() !== "")
}
