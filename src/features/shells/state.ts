// The background shells of a session that run now.
import type { EventOf } from "../../contract/events.ts"
import type { CallId, ShellId } from "../../contract/ids.ts"
import type { By, ToolProcess } from "../../contract/values.ts"

export interface ShellsState {
  /** Shells of a session are numbered from 1. */
  readonly shellCount: number
  readonly shells: readonly ShellState[]
}

export interface ShellState {
  readonly id: ShellId
  readonly callId: CallId
  readonly command: string
  readonly process: ToolProcess
  /** The person who wants it to end. */
  readonly endedBy: By | undefined
}

export type ShellsReport =
  | { readonly type: "shell-started"; readonly callId: CallId; readonly command: string; readonly process: ToolProcess }
  | ShellExited

export interface ShellExited extends Pick<EventOf<"shell.ended">, "shellId" | "outcome" | "exitCode" | "signal"> {
  readonly type: "shell-exited"
}

export interface ShellsEffect {
  readonly type: "end-shell"
  readonly id: string
  readonly shellId: ShellId
}
