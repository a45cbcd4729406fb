// What a program may say about its child, and what holds when it says nothing.
import type { RpcAttachment } from "../../protocols/rpc/frames.ts"
import type { CommandLineOptions } from "./command-line.ts"
import type { ChildEnd } from "./faults.ts"

export interface StartOptions extends CommandLineOptions {
  readonly cwd?: string | undefined
  /** The child's whole environment. Default: that of this process. */
  readonly env?: NodeJS.ProcessEnv | undefined
  readonly timeouts?: Partial<Timeouts>
  /** A child that dies is started anew, with its session. Without this a dead child stays dead. */
  readonly restart?: RestartOptions
  /** Ends the start, and the child with it, when it is aborted before the child is ready. */
  readonly signal?: AbortSignal | undefined
  /** What the child says on stderr, as it comes. The last of it is kept in any case. */
  readonly onStderr?: (text: string) => void
  /** Lines on the child's stdout that are no frames of the protocol, cut to a readable length. */
  readonly onNoise?: (line: string) => void
}

export interface RestartOptions {
  /** How often in a row; a completed turn makes the count begin again. Default 1. */
  readonly attempts?: number
  /** Called before the new child is started. */
  readonly onRestart?: (end: ChildEnd) => void
}

/** Milliseconds. */
export interface Timeouts {
  readonly readyMs: number
  /** For every command but turns, which take their time, and `compact`. */
  readonly commandMs: number
  readonly compactMs: number
  /** From an abort to the end of the turn. */
  readonly abortMs: number
  /** From `close` to SIGTERM. */
  readonly closeMs: number
  /** From SIGTERM to SIGKILL. */
  readonly termMs: number
}

export const defaultTimeouts: Timeouts = {
  readyMs: 30_000,
  commandMs: 60_000,
  compactMs: 300_000,
  abortMs: 10_000,
  closeMs: 5000,
  termMs: 1000,
}

export interface CommandOptions {
  /** Milliseconds; 0 waits for ever. */
  readonly timeoutMs?: number | undefined
  /** The promise is rejected with its reason; a late answer is ignored. */
  readonly signal?: AbortSignal | undefined
}

export interface TurnOptions {
  /** Milliseconds until the turn is aborted and its reader gets a fault. Default: as long as it takes. */
  readonly timeoutMs?: number | undefined
  /** Aborts the turn, which then ends as `cancelled`. */
  readonly signal?: AbortSignal | undefined
}

export interface PromptOptions extends TurnOptions {
  /** Files that the child can read: paths, made absolute from this process's folder, with a name and a type if known. */
  readonly attachments?: readonly (string | Attachment)[]
}

export type Attachment = Readonly<RpcAttachment>
