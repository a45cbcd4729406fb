// Runs a command line in a shell. The call ends with the shell; background processes keep running, until their session
// or host ends at the latest. Timeout and cancellation kill everything the command has started.
import { checks, toolInputSchemas } from "../contract/generated/tool-inputs.js"
import type { BashInput } from "../contract/tool-inputs.ts"
import { defineTool, failed, withoutPreparation } from "./define-tool.ts"
import { BoundedOutput } from "./output-bound.ts"
import { findBash, shellCall, type CommandDeps } from "./start-command.ts"
import { prepareCommand } from "./watch-run.ts"
import type { PreparedCall, Tool, ToolContext } from "./tool.ts"
import { stripVTControlCharacters } from "node:util"

const DEFAULT_TIMEOUT_SECONDS = 120

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
  const { command, timeout = DEFAULT_TIMEOUT_SECONDS } = input
  const { env, progress, scrubber } = context
  if (command.includes("\0"))
    return withoutPreparation(context, async () => failed("A command cannot contain the character NUL."))
  return prepareCommand(deps, { ...shellCall(command, findBash(env)), env }, context, timeout, ({ stdout }) => {
    const output = new BoundedOutput()
    const lastLine = new LastLine((line) => progress(line))
    stdout.on("data", (chunk: Uint8Array) => {
      output.push(chunk)
      lastLine.push(chunk)
    })
    return () => {
      lastLine.stop()
      return { text: output.text(scrubber).replace(/\n$/, ""), truncated: output.truncated }
    }
  })
}

const intervalMs = 250
/** Longer lines are not reported. */
const MAX_LINE_LENGTH = 4096
const lineFeed = 10
const carriageReturn = 13

/**
 * Reports the newest line a few times a second, the last one always. Only complete lines: the scrubber that removes
 * secrets afterwards would not recognise half of one.
 */
export class LastLine {
  readonly #onLine: (line: string) => void
  /** The beginning of a line that continues in the next chunk. */
  #open = Buffer.alloc(0)
  #line = ""
  #reportedAt = -Infinity
  #timer: NodeJS.Timeout | undefined

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine
  }

  push(chunk: Uint8Array): void {
    const end = Math.max(chunk.lastIndexOf(lineFeed), chunk.lastIndexOf(carriageReturn))
    const whole = end < 0 ? undefined : newestLine(Buffer.concat([this.#open, chunk.subarray(0, end)]))
    const before = end < 0 ? this.#open : Buffer.alloc(0)
    this.#open = Buffer.concat([before, chunk.subarray(end + 1)]).subarray(-MAX_LINE_LENGTH - 1)
    if (whole === undefined) return
    this.#line = stripVTControlCharacters(whole)
    const wait = this.#reportedAt + intervalMs - performance.now()
    if (wait <= 0) this.#report()
    else this.#timer ??= setTimeout(() => this.#report(), wait)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #report(): void {
    this.stop()
    this.#reportedAt = performance.now()
    this.#onLine(this.#line)
  }
}

function newestLine(done: Buffer): string | undefined {
  const lines = done
    .subarray(-MAX_LINE_LENGTH)
    .toString("utf8")
    .split(/[\r\n]+/)
  if (done.length > MAX_LINE_LENGTH) lines.shift() // its beginning is missing
  return lines.findLast((line) => line.trim() !== "")
}
