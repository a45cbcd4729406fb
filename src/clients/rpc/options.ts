// Options of a child and their defaults.
import type { RpcAttachment } from "../../protocols/rpc/frames.ts"
import type { WaitOptions } from "../base/pending-requests.ts"
import type { CommandLineOptions } from "./child/command-line.ts"
import type { ChildEnd } from "./faults.ts"

export interface StartOptions extends CommandLineOptions {
  readonly cwd?: string | undefined
  /** The whole environment of the child. Default: that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  readonly timeouts?: Partial<Timeouts>
  /** Restarts a child that dies, with its session. Default: no restart. */
  readonly restart?: RestartOptions
  /** Aborts the start and stops the child. No effect once the child is ready. */
  readonly signal?: AbortSignal | undefined
  /** Receives stderr of the child. Its end is kept in any case. */
  readonly onStderr?: (text: string) => void
  /** Receives lines on stdout that are no frames, shortened. */
  readonly onNoise?: (line: string) => void
}

export interface RestartOptions {
  /** Restarts in a row; a completed turn resets the count. Default 1. */
  readonly attempts?: number
  /** Called before each restart. */
  readonly onRestart?: (end: ChildEnd) => void
}

/** Milliseconds. */
export interface Timeouts {
  readonly readyMs: number
  /** For all commands except turns, which have no limit, and `compact`. */
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

export type CommandOptions = WaitOptions

export interface ApproveOptions extends CommandOptions {
  /** To the questions of the request, one line per question: a number, several, a label or own words. */
  readonly answer?: string | undefined
}

export interface TurnOptions {
  /** Milliseconds until the turn is aborted and rejects with `RpcTimeout`. Default: no limit. */
  readonly timeoutMs?: number | undefined
  /** Aborts the turn, which then ends as `cancelled`. */
  readonly signal?: AbortSignal | undefined
}

export interface PromptOptions extends TurnOptions {
  /** Files for the child. Paths are resolved against the working folder of this process. */
  readonly attachments?: readonly (string | Attachment)[]
}

export type Attachment = Readonly<RpcAttachment>
