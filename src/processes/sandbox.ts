// A closed door in front of folders that commands must not see: they run under bubblewrap with the file system as it
// is, except that these folders are empty and cannot be written. It is no jail: whatever else the user can read, write
// or reach, the command can too. Whether bubblewrap works here is tried once, when the first command needs to know.
// Invariant: what runs is the same process group, behind the same gate, with the same mark as without.
import { bwrapArguments, isInside, readyToHide, realOrSame } from "./bwrap-arguments.ts"
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
  /** Told once, when commands run although nothing is hidden from them. */
  readonly warn: (sentence: string) => void
  /** The program to use, instead of the one that is found. */
  readonly bwrap?: string | undefined
}

export type SandboxState = { readonly kind: "on" } | { readonly kind: "off"; readonly why: string }

export interface Sandbox {
  /** Whether commands are kept from the hidden folders, and if not, why. */
  state(): Promise<SandboxState>
  /** A sentence when no command may run in this folder. */
  problem(cwd: string): Promise<string | undefined>
  /** What to start in place of the command. */
  around(command: PlainCommand, cwd: string): Promise<PlainCommand>
}

/** What an unguarded shell means, for whoever runs the host. */
export function unguarded(why: string): string {
  return `Commands of tools run without a sandbox: ${why}. An allowed shell could answer for itself.`
}

export function openSandbox(options: SandboxOptions): Sandbox {
  const program = options.bwrap ?? findBwrap()
  let trial: Promise<SandboxState> | undefined
  const state = () => (trial ??= tryOut(options, program))
  return {
    state,
    async problem(cwd) {
      const found = await state()
      if (found.kind === "on") return hiddenAround(options.hidden, cwd)
      return options.mode === "require" ? `The configuration demands a sandbox: ${found.why}.` : undefined
    },
    async around(command, cwd) {
      const found = await state()
      if (found.kind === "off" || program === undefined) return command
      const folders = readyToHide(options.hidden)
      const shown = (options.shown ?? []).map(realOrSame)
      return {
        command: program,
        args: [...bwrapArguments(folders, cwd, undefined, shown), command.command, ...command.args],
      }
    },
  }
}

async function tryOut({ mode, hidden, warn }: SandboxOptions, program: string | undefined): Promise<SandboxState> {
  if (mode === "off") return { kind: "off", why: "the configuration turns it off (tools.sandbox)" }
  const why = await whyBwrapFails(program, readyToHide(hidden))
  if (why === undefined) return { kind: "on" }
  if (mode === "auto") warn(unguarded(why))
  return { kind: "off", why }
}

function hiddenAround(hidden: readonly string[], cwd: string): string | undefined {
  const real = realOrSame(cwd)
  if (!hidden.some((folder) => isInside(real, realOrSame(folder)))) return undefined
  return `The working folder ${cwd} lies in a folder of Turnhouse itself, which is closed to tools.`
}
