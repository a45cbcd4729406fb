// Runs commands under bubblewrap with the normal file system, except for hidden and read-only folders. Not a jail:
// everything else that the user can access, the command can, too. Bubblewrap is tested once, before the first command.
// Invariant: group, gate and mark are the same as without a sandbox.
import { existsSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import {
  bwrapArguments,
  isInside,
  readyToHide,
  readyToProtect,
  realOrSame,
  type SandboxView,
} from "./bwrap-arguments.ts"
import { findBwrap, bwrapProblem } from "./bwrap-trial.ts"

export interface PlainCommand {
  readonly command: string
  readonly args: readonly string[]
}

export interface SandboxOptions {
  readonly mode: "auto" | "off" | "require"
  readonly hidden: readonly string[]
  /** Folders inside hidden ones that commands may read. */
  readonly shown?: readonly string[]
  /** Paths that commands may read but not change, listed again for each command. */
  readonly readOnly?: () => readonly string[]
  /** Called once when commands run without a sandbox. */
  readonly warn: (sentence: string) => void
  /** Program to use instead of the detected one. */
  readonly bwrap?: string | undefined
  /** False: commands have a network of their own, without a way out, unless their limits say otherwise. Default: true. */
  readonly hasNetwork?: boolean
  /** Exists once the sandbox has worked: from then on a failure stops commands instead of running them without it. */
  readonly memory?: string | undefined
}

/** Additional limits of one command. */
export type CommandLimits = Omit<SandboxView, "hidden"> & {
  readonly hidden?: readonly string[]
}

export type SandboxState =
  | { readonly kind: "on" }
  /** `isBroken`: it worked before, so nothing may run without it. */
  | { readonly kind: "off"; readonly reason: string; readonly isBroken?: boolean }

export interface Sandbox {
  /** Whether commands are sandboxed, and if not, why. */
  state(): Promise<SandboxState>
  /** Set if no command may run: a sandbox is required but does not work. */
  unavailable(): Promise<string | undefined>
  /** Set if no command may run in this folder. */
  problem(cwd: string): Promise<string | undefined>
  /** The command line to start instead. */
  wrap(command: PlainCommand, cwd: string, limits?: CommandLimits): Promise<PlainCommand>
}

/** Warning for the operator. */
export function unsandboxedWarning(reason: string): string {
  return `Tool commands run without a sandbox: ${reason}. A shell command could approve its own calls.`
}

/** Without a sandbox every command could connect to everything. */
export function networkProblem(reason: string): string {
  return `The configuration limits the network of commands (tools.network), which needs a sandbox: ${reason}. Fix it, or set "tools.network" to "all".`
}

export function openSandbox(options: SandboxOptions): Sandbox {
  const program = options.bwrap ?? findBwrap()
  let trial: Promise<SandboxState> | undefined
  const state = async () => {
    const found = await (trial ??= probe(options, program))
    if (found.kind === "off" && found.isBroken === true) trial = undefined // maybe only slow: the next call retries
    return found
  }
  const unavailable = async () => {
    const found = await state()
    if (found.kind === "on") return undefined
    if (options.hasNetwork === false) return networkProblem(found.reason)
    if (options.mode === "require") return `The configuration requires a sandbox: ${found.reason}.`
    if (found.isBroken !== true) return undefined
    return `The sandbox worked in this home before and does not work now: ${found.reason}. Fix it, or set "tools.sandbox" to "off".`
  }
  return {
    state,
    unavailable,
    async problem(cwd) {
      const found = await state()
      return found.kind === "on" ? hiddenAround(options.hidden, cwd) : unavailable()
    },
    async wrap(command, cwd, limits = {}) {
      const found = await state()
      if (found.kind === "off" || program === undefined) return command
      const args = bwrapArguments(viewOf(options, limits), cwd)
      return { command: program, args: [...args, command.command, ...command.args] }
    },
  }
}

function viewOf(options: SandboxOptions, limits: CommandLimits): SandboxView {
  const { hidden = [], shown = [], opened = [], readOnly = [], writable, hasNetwork = options.hasNetwork } = limits
  return {
    hidden: readyToHide([...options.hidden, ...hidden]),
    shown: [...(options.shown ?? []), ...shown].map(inRealFolder),
    opened: readyToProtect(opened),
    readOnly: readyToProtect([...(options.readOnly?.() ?? []), ...readOnly]),
    ...(writable === undefined ? {} : { writable: readyToProtect(writable) }),
    ...(hasNetwork === undefined ? {} : { hasNetwork }),
  }
}

function inRealFolder(path: string): string {
  return join(realOrSame(dirname(path)), basename(path))
}

async function probe(options: SandboxOptions, program: string | undefined): Promise<SandboxState> {
  const { mode, hidden, warn, memory, hasNetwork = true } = options
  if (mode === "off") return { kind: "off", reason: "the configuration turns it off (tools.sandbox)" }
  const reason = await bwrapProblem(program, readyToHide(hidden), { hasNetwork })
  if (reason === undefined) {
    if (memory !== undefined && !existsSync(memory)) writeFileSync(memory, "", { mode: 0o600 })
    return { kind: "on" }
  }
  if (memory !== undefined && existsSync(memory)) return { kind: "off", reason, isBroken: true }
  if (mode === "auto") warn(unsandboxedWarning(reason))
  return { kind: "off", reason }
}

function hiddenAround(hidden: readonly string[], cwd: string): string | undefined {
  const real = realOrSame(cwd)
  if (!hidden.some((folder) => isInside(real, realOrSame(folder)))) return undefined
  return `The working folder ${cwd} is inside a folder of Turnhouse, which tools cannot access.`
}
