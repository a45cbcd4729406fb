// The interface of the background shells of a session, for the tools that start, read and end them.
import type { CallId, ShellId } from "../../contract/ids.ts"
import type { GatedProcess } from "../../processes/gated-process.ts"

export interface Shells {
  /** Stores the shell, then opens its gate. A process that is not started is abandoned. */
  start(order: ShellOrder): Promise<StartedShell>
  /** What it has printed since the last read. Waits for output or the end, at most `waitMs`. */
  read(id: string, options: ReadOptions): Promise<ShellRead>
  /** Ends it with all its processes. A sentence if it does not run. */
  kill(id: string): Promise<KilledShell>
}

export interface ShellOrder {
  readonly callId: CallId
  readonly command: string
  readonly gated: GatedProcess
  readonly timeoutMs: number | undefined
  /** Where it is limited. */
  readonly network?: LimitedNetwork | undefined
}

export interface LimitedNetwork {
  /** Sentences about what was refused so far. */
  readonly refusals: () => readonly string[]
  /** Time that the command spent waiting for an answer of a person. */
  readonly waitedMs: () => number
}

export type StartedShell =
  /** `ended` resolves when all its processes are known to have ended, or the session is closed. */
  | { readonly kind: "started"; readonly id: ShellId; readonly ended: Promise<void> }
  | { readonly kind: "no"; readonly reason: string }

export interface ReadOptions {
  readonly waitMs: number
  readonly signal: AbortSignal
  /** The part of the output to return; a sentence if that is not possible: then nothing counts as read. */
  readonly select?: ((text: string) => Promise<SelectedText>) | undefined
}

export type SelectedText =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "no"; readonly reason: string }

export type ShellRead =
  | { readonly kind: "read"; readonly text: string; readonly isRunning: boolean; readonly state: string }
  | { readonly kind: "no"; readonly reason: string }

export type KilledShell = { readonly kind: "killed" } | { readonly kind: "no"; readonly reason: string }
