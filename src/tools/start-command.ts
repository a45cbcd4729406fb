// Starts the command of a tool at its gate, in the sandbox if there is one. An error of the environment becomes a message
// for the model.
import type { GatedProcess, GatedRequest } from "../processes/gated-process.ts"
import type { ProcessSupervisor } from "../processes/process-supervisor.ts"
import type { CommandLimits, Sandbox } from "../processes/sandbox.ts"
import { systemCode } from "../contract/faults.ts"
import type { ToolContext } from "./tool.ts"
import type { CommandNetwork, NetworkSetting } from "./network/command-network.ts"
import { accessSync, constants, statSync } from "node:fs"
import { delimiter, join } from "node:path"

export interface CommandDeps {
  readonly processes: ProcessSupervisor
  /** Without one, commands have the host's access. */
  readonly sandbox?: Sandbox | undefined
  /** Which hosts commands can connect to. Needs a sandbox; by default all. */
  readonly network?: NetworkSetting | undefined
}

export type StartedCommand =
  | { readonly kind: "waiting"; readonly gated: GatedProcess; readonly network?: CommandNetwork | undefined }
  | { readonly kind: "no"; readonly reason: string }

export async function startCommand(
  deps: CommandDeps,
  request: CommandRequest,
  context: CommandContext,
): Promise<StartedCommand> {
  const { cwd, sessionId: owner } = context
  const { processes, sandbox } = deps
  const problem = await sandbox?.problem(cwd)
  if (problem !== undefined) return { kind: "no", reason: problem }
  const { network, ...connected } = await connectedRequest(deps, request, context)
  const { command, args } = (await sandbox?.wrap(connected, cwd, limitsOf(deps))) ?? connected
  try {
    const { env, stdin } = connected
    const channel = { onListener: network?.serve, onGone: network?.close }
    const gated = await processes.spawn({ command, args, env, stdin, cwd, owner, ...channel })
    return { kind: "waiting", gated, network }
  } catch (fault) {
    const reason = startProblem(fault, cwd)
    if (reason === undefined) throw fault
    return { kind: "no", reason }
  }
}

type CommandContext = Pick<ToolContext, "cwd" | "connect"> & { readonly sessionId: string }
type CommandRequest = Pick<GatedRequest, "command" | "args" | "stdin" | "env">

/** With a list of hosts the command runs behind a proxy, which is loaded then. */
async function connectedRequest(
  { network: setting }: CommandDeps,
  request: CommandRequest,
  context: CommandContext,
): Promise<CommandRequest & { readonly network?: CommandNetwork }> {
  if (setting === undefined || typeof setting === "string") return request
  const [{ CommandNetwork: Network }, { proxyVariables, throughEntrance }] = await Promise.all([
    import("./network/command-network.ts"),
    import("./network/entrance.ts"),
  ])
  const env = { ...request.env, ...proxyVariables(setting.allow) }
  return { ...request, ...throughEntrance(request), env, network: new Network(setting.allow, context) }
}

/** Node may be in a folder that is hidden from commands. */
function limitsOf({ network = "all" }: CommandDeps): CommandLimits | undefined {
  if (network === "all") return undefined
  return { hasNetwork: false, shown: network === "none" ? [] : [process.execPath] }
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

// The command writes both streams into one pipe, in order, which a `cat` forwards. Our own end is a socket, which cannot
// be opened as /dev/stdout or /dev/stderr. The `cat` ignores SIGTERM, so that output after a SIGTERM is not lost.
const PIPE_SCRIPT = `if command -v cat >/dev/null; then exec > >(trap '' TERM; exec cat); fi; exec 2>&1; exec "$BASH" -c "$1"`
const plain = `exec 2>&1; exec /bin/sh -c "$1"`

interface ShellCall {
  readonly command: string
  readonly args: readonly string[]
}

export function shellCall(commandLine: string, bash: string | undefined): ShellCall {
  if (bash === undefined) return { command: "/bin/sh", args: ["-c", plain, "sh", commandLine] }
  return { command: bash, args: ["-c", PIPE_SCRIPT, "bash", commandLine] }
}

export function findBash(env: Readonly<Record<string, string>>): string | undefined {
  const inPath = env["PATH"] ?? ""
  const folders = ["/bin", "/usr/bin", ...inPath.split(delimiter).filter((folder) => folder.startsWith("/"))]
  return folders.map((folder) => join(folder, "bash")).find(isProgram)
}

/** Where a command is, as a shell looks for it; undefined if there is none. */
export function findProgram(command: string, path: string | undefined): string | undefined {
  if (command.includes("/")) return isProgram(command) ? command : undefined
  const folders = (path ?? "").split(delimiter).filter((folder) => folder.startsWith("/"))
  return folders.map((folder) => join(folder, command)).find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
