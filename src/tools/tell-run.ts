// What a model is told about a command that has run: what it printed, and how it ended if that was not well.
import type { ToolResult } from "./tool.ts"
import type { RunEnd } from "./watch-run.ts"

export interface RunFacts {
  readonly timeoutSeconds: number
  readonly durationMs: number
  readonly truncated: boolean
}

export function tellRun(end: RunEnd, printed: string, { timeoutSeconds, durationMs, truncated }: RunFacts): ToolResult {
  const { code: exitCode, signal } = end.exit
  const sentences = {
    exited: exitCode === 0 ? [] : [exitCode === null ? `ended by ${signal}` : `exit code ${exitCode}`],
    "timed-out": [
      `The command did not end in ${timeoutSeconds} s and was killed; above is what it printed until then.`,
    ],
    cancelled: ["The command was cancelled and killed."],
  }[end.kind]
  const left = {
    nothing: [],
    background: ["[Processes that it left in the background are still running.]"],
    unkillable: ["[Some of its processes could not be killed.]"],
  }[end.left]
  const lines = [printed === "" ? "(no output)" : printed, ...sentences, ...left]
  const details = { exitCode, signal, durationMs, truncated }
  return { outcome: endedWell(end) ? "done" : "failed", output: lines.join("\n"), details }
}

export function endedWell({ kind, exit }: RunEnd): boolean {
  return kind === "exited" && exit.code === 0
}
