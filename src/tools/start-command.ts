// Starts the command of a tool behind its gate, in the sandbox where there is one. What keeps it from starting and is
// nobody's fault of programming becomes a sentence.
import type { GatedProcess, GatedRequest } from "../processes/gated-process.ts"
import type { ProcessKeeper } from "../processes/process-keeper.ts"
import type { Sandbox } from "../processes/sandbox.ts"
import { systemCode } from "./system-code.ts"
import type { ToolContext } from "./tool.ts"

export interface CommandDeps {
  readonly processes: ProcessKeeper
  /** Without one, commands see everything that the host sees. */
  readonly sandbox?: Sandbox | undefined
}

export type StartedCommand =
  | { readonly kind: "waiting"; readonly gated: GatedProcess }
  | { readonly kind: "no"; readonly why: string }

export async function startCommand(
  { processes, sandbox }: CommandDeps,
  wanted: Pick<GatedRequest, "command" | "args" | "stdin" | "env">,
  { cwd, sessionId: owner }: ToolContext,
): Promise<StartedCommand> {
  const problem = await sandbox?.problem(cwd)
  if (problem !== undefined) return { kind: "no", why: problem }
  const command = (await sandbox?.around(wanted, cwd)) ?? wanted
  try {
    const { env, stdin } = wanted
    const gated = await processes.spawn({ command: command.command, args: command.args, env, stdin, cwd, owner })
    return { kind: "waiting", gated }
  } catch (fault) {
    const why = startProblem(fault, cwd)
    if (why === undefined) throw fault
    return { kind: "no", why }
  }
}

function startProblem(fault: unknown, cwd: string): string | undefined {
  switch (systemCode(fault)) {
    case "ENOENT":
    case "ENOTDIR":
    case "EACCES":
      return `The command cannot be run: the working folder ${cwd} is not there or cannot be entered.`
    case "E2BIG":
      return "The command is too long for the system; put the long part into a file with write and run that."
    case "EAGAIN":
    case "ENOMEM":
    case "EMFILE":
      return "The command cannot be run: the machine has no room for another process at the moment."
    default:
      return undefined
  }
}
