// Runs a command line in a shell. The call ends with the shell; background processes keep running, until their session
// or host ends at the latest. Timeout and cancellation kill everything the command has started.
import { checks, toolInputSchemas } from "../contract/generated/tool-inputs.js"
import type { BashInput } from "../contract/tool-inputs.ts"
import { defineTool, failed, withoutPreparation } from "./define-tool.ts"
import { BoundedOutput } from "./output-bound.ts"
import { findBash, shellCall, type CommandDeps } from "./start-command.ts"
import { prepareCommand } from "./watch-run.ts"
import type { PreparedCall, Tool, ToolContext } from "./tool.ts"

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
  const { env, printed, scrubber } = context
  if (command.includes("\0"))
    return withoutPreparation(context, async () => failed("A command cannot contain the character NUL."))
  return prepareCommand(deps, { ...shellCall(command, findBash(env)), env }, context, timeout, ({ stdout }) => {
    const output = new BoundedOutput()
    stdout.on("data", (chunk: Uint8Array) => {
      output.push(chunk)
      printed?.(chunk)
    })
    return () => ({ text: output.text(scrubber).replace(/\n$/, ""), truncated: output.truncated })
  })
}
