// Waits for a command that was let go: until its shell ends, its time is over or the call is cancelled. After the
// shell's end, output that is still on its way is taken for a moment; a background process may hold the pipe for ever.
import { once } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import type { Exit, GatedProcess } from "../processes/gated-process.ts"
import type { ToolResult } from "./tool.ts"

export interface RunEnd {
  readonly kind: "exited" | "timed-out" | "cancelled"
  readonly exit: Exit
  readonly left: "nothing" | "background" | "unkillable"
}

/** How long output may still arrive after the command's end. Short naps, so that what has arrived is taken in between. */
const napMs = 50
const naps = 4
/** When a process that is still there after its command is looked at again. */
const looksAfterMs = [5, 15, 30, 50]

export async function watchRun(gated: GatedProcess, timeoutMs: number, signal: AbortSignal): Promise<RunEnd> {
  const outputEnded = Promise.allSettled([once(gated.stdout, "close"), once(gated.stderr.resume(), "close")])
  const kind = await endOrStop(gated, timeoutMs, signal)
  const gone = kind === "exited" || (await gated.kill())
  await lastWords(outputEnded)
  gated.ignoreOutput()
  if (!gone) return { kind, exit: { code: null, signal: null }, left: "unkillable" }
  const exit = await gated.exited
  return { kind, exit, left: kind === "exited" && (await hasBackground(gated)) ? "background" : "nothing" }
}

async function endOrStop(gated: GatedProcess, timeoutMs: number, signal: AbortSignal): Promise<RunEnd["kind"]> {
  const stop = Promise.withResolvers<"timed-out" | "cancelled">()
  const cancel = () => stop.resolve("cancelled")
  const timer = setTimeout(() => stop.resolve("timed-out"), timeoutMs)
  signal.addEventListener("abort", cancel, { once: true })
  const kind = await Promise.race([gated.exited.then(() => "exited" as const), stop.promise])
  clearTimeout(timer)
  signal.removeEventListener("abort", cancel)
  return kind
}

async function lastWords(outputEnded: Promise<unknown>): Promise<void> {
  for (let nap = 0; nap < naps; nap++) {
    const ended = await Promise.race([outputEnded.then(() => true), sleep(napMs, false)])
    if (ended) return
  }
}

/** A process that closes its pipes is not gone in the same moment, so one that is there is looked at again. */
async function hasBackground(gated: GatedProcess): Promise<boolean> {
  for (const wait of looksAfterMs) {
    if (!(await gated.isAlive())) return false
    await sleep(wait)
  }
  return gated.isAlive()
}

interface RunFacts {
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
