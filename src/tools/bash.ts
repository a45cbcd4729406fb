// Runs a command line in a shell. The call ends with the shell; background processes keep running, until their session
// or host ends at the latest. Timeout and cancellation kill everything the command has started.
import { checks, toolInputSchemas } from "../contract/generated/tool-inputs.js"
import type { BashInput } from "../contract/tool-inputs.ts"
import { cancelled, defineTool, failed, withoutPreparation } from "./define-tool.ts"
import { BoundedOutput } from "./output-bound.ts"
import { findBash, shellCall, startCommand, type CommandDeps } from "./start-command.ts"
import { prepareCommand } from "./watch-run.ts"
import type { PreparedCall, Tool, ToolContext, ToolResult } from "./tool.ts"

const DEFAULT_TIMEOUT_SECONDS = 120

const DESCRIPTION =
  "Runs a shell command in the working folder and returns what it prints. It gets no input. Give a command that takes long a timeout; run a server, or what you need not wait for, with run_in_background and look after it with bash_output and bash_kill."

export function bashTool(deps: CommandDeps): Tool {
  return defineTool<BashInput>({
    name: "bash",
    description: `${DESCRIPTION}${networkNote(deps)}`,
    class: "unsafe",
    check: checks.bash,
    inputSchema: toolInputSchemas.bash,
    locks: async (input, cwd) =>
      (await import("../features/locks/tools/command-locks.ts")).commandLocks(input.command, cwd),
    prepare: (input, context) => prepare(input, context, deps),
  })
}

/** Said only where it is limited: what a model does not know of, it tries again and again. */
function networkNote({ network = "all" }: CommandDeps): string {
  if (network === "all") return ""
  const own = "each command has a network of its own, so a server can only be reached by the command that started it"
  if (network === "none") return ` Commands cannot connect to other machines; ${own}.`
  return ` Commands connect to other machines only through the HTTP proxy in HTTPS_PROXY, which asks a person about hosts that are not allowed yet, and resolve no names themselves; ${own}.`
}

async function prepare(input: BashInput, context: ToolContext, deps: CommandDeps): Promise<PreparedCall> {
  const { command, timeout = DEFAULT_TIMEOUT_SECONDS } = input
  const { env, printed, scrubber } = context
  if (command.includes("\0"))
    return withoutPreparation(context, async () => failed("A command cannot contain the character NUL."))
  const request = { ...shellCall(command, findBash(env)), env }
  if (input.run_in_background === true) return prepareInBackground(input, request, context, deps)
  return prepareCommand(deps, request, context, timeout, ({ stdout }) => {
    const output = new BoundedOutput()
    stdout.on("data", (chunk: Uint8Array) => {
      output.push(chunk)
      printed?.(chunk)
    })
    return (end) => {
      const text = output.text(scrubber).replace(/\n$/, "")
      return { text, truncated: output.truncated, advice: end.kind === "timed-out" ? TIMEOUT_ADVICE : undefined }
    }
  })
}

const TIMEOUT_ADVICE =
  "Give it more time with timeout (up to 3600), or start it with run_in_background: true and read its output with bash_output."

/** The call ends when the shell is stored and runs; its end is reported to the session. */
async function prepareInBackground(
  { command, timeout }: BashInput,
  request: Parameters<typeof startCommand>[1],
  context: ToolContext,
  deps: CommandDeps,
): Promise<PreparedCall> {
  const { shells, callId, signal } = context
  if (shells === undefined)
    return withoutPreparation(context, async () => failed("This session has no background shells."))
  const waiting = await startCommand(deps, request, context)
  if (waiting.kind === "no") return withoutPreparation(context, async () => failed(waiting.reason))
  const { gated, network } = waiting
  let ended: Promise<void> | undefined
  const run = async (): Promise<ToolResult> => {
    if (signal.aborted) {
      gated.abandon()
      return cancelled
    }
    const timeoutMs = timeout === undefined ? undefined : timeout * 1000
    const started = await shells.start({ callId, command, gated, timeoutMs, network })
    if (started.kind === "no") return failed(started.reason)
    ended = started.ended
    const output = `Started in the background as ${started.id}. Read its output with bash_output, end it with bash_kill. A note follows when it exits.`
    return { outcome: "done", output, details: { shellId: started.id } }
  }
  return { process: gated.process, run, abandon: () => gated.abandon(), outlived: () => ended }
}
