// Runs commands under bubblewrap with the file system as it is, except that some folders are empty and cannot be
// written, and others cannot be written. It is no jail: whatever else the user can read, write or reach, the command can
// too. Whether bubblewrap works here is tried once, when the first command needs to know.
// Invariant: what runs is the same process group, behind the same gate, with the same mark as without.
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
import { findBwrap, whyBwrapFails } from "./bwrap-trial.ts"

export interface PlainCommand {
  readonly command: string
  readonly args: readonly string[]
}

export interface SandboxOptions {
  readonly mode: "auto" | "off" | "require"
  readonly hidden: readonly string[]
  /** Folders inside of those that commands may look into, and not write. */
  readonly shown?: readonly string[]
  /** Files and folders that commands may read and not change, listed anew for each command. */
  readonly readOnly?: () => readonly string[]
  /** Told once, when commands run although nothing is hidden from them. */
  readonly warn: (sentence: string) => void
  /** The program to use, instead of the one that is found. */
  readonly bwrap?: string | undefined
  /** A file that exists once the sandbox has worked: then a failure stops commands instead of letting them run free. */
  readonly memory?: string | undefined
}

/** A command's own limits, in addition to those of its sandbox. */
export type CommandLimits = Omit<SandboxView, "hidden"> & {
  readonly hidden?: readonly string[]
}

export type SandboxState =
  | { readonly kind: "on" }
  /** `isBroken`: it has worked before, so nothing may run without it. */
  | { readonly kind: "off"; readonly why: string; readonly isBroken?: boolean }

export interface Sandbox {
  /** Whether commands are kept from the hidden folders, and if not, why. */
  state(): Promise<SandboxState>
  /** A sentence when no command may run at all: a sandbox is required and does not work. */
  unavailable(): Promise<string | undefined>
  /** A sentence when no command may run in this folder. */
  problem(cwd: string): Promise<string | undefined>
  /** What to start in place of the command. */
  around(command: PlainCommand, cwd: string, limits?: CommandLimits): Promise<PlainCommand>
}

/** What an unguarded shell means, for whoever runs the host. */
export function unguarded(why: string): string {
  return `Commands of tools run without a sandbox: ${why}. An allowed shell could answer for itself.`
}

export function openSandbox(options: SandboxOptions): Sandbox {
  const program = options.bwrap ?? findBwrap()
  let trial: Promise<SandboxState> | undefined
  const state = async () => {
    const found = await (trial ??= tryOut(options, program))
    if (found.kind === "off" && found.isBroken === true) trial = undefined // it may only be slow: the next call tries again
    return found
  }
  const unavailable = async () => {
    const found = await state()
    if (found.kind === "on") return undefined
    if (options.mode === "require") return `The configuration demands a sandbox: ${found.why}.`
    if (found.isBroken !== true) return undefined
    return `The sandbox has worked in this home before and does not now: ${found.why}. Repair it, or set "tools.sandbox" to "off".`
  }
  return {
    state,
    unavailable,
    async problem(cwd) {
      const found = await state()
      return found.kind === "on" ? hiddenAround(options.hidden, cwd) : unavailable()
    },
    async around(command, cwd, limits = {}) {
      const found = await state()
      if (found.kind === "off" || program === undefined) return command
      const args = bwrapArguments(viewOf(options, limits), cwd)
      return { command: program, args: [...args, command.command, ...command.args] }
    },
  }
}

function viewOf(options: SandboxOptions, limits: CommandLimits): SandboxView {
  const { hidden = [], shown = [], opened = [], readOnly = [], writable, hasNetwork } = limits
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

async function tryOut(options: SandboxOptions, program: string | undefined): Promise<SandboxState> {
  const { mode, hidden, warn, memory } = options
  if (mode === "off") return { kind: "off", why: "the configuration turns it off (tools.sandbox)" }
  const why = await whyBwrapFails(program, readyToHide(hidden))
  if (why === undefined) {
    if (memory !== undefined && !existsSync(memory)) writeFileSync(memory, "", { mode: 0o600 })
    return { kind: "on" }
  }
  if (memory !== undefined && existsSync(memory)) return { kind: "off", why, isBroken: true }
  if (mode === "auto") warn(unguarded(why))
  return { kind: "off", why }
}

function hiddenAround(hidden: readonly string[], cwd: string): string | undefined {
  const real = realOrSame(cwd)
  if (!hidden.some((folder) => isInside(real, realOrSame(folder)))) return undefined
  return `The working folder ${cwd} lies in a folder of Turnhouse itself, which is closed to tools.`
}
