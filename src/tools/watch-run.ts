// Runs the command of a call: until it exits, times out or the call is cancelled. After the exit, remaining output is read
// for a moment only, because a background process may keep the pipe open.
import { once } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import type { Exit, GatedProcess } from "../processes/gated-process.ts"
import { cancelled, failed, withoutPreparation } from "./define-tool.ts"
import { startCommand, type CommandDeps } from "./start-command.ts"
import type { PreparedCall, ToolContext, ToolResult } from "./tool.ts"

export interface Printed {
  readonly text: string
  readonly truncated: boolean
  /** For the model, after how the command ended. */
  readonly advice?: string | undefined
}

/** `listen` subscribes to the output before the command runs, and returns what was printed after its end. */
export async function prepareCommand(
  deps: CommandDeps,
  request: Parameters<typeof startCommand>[1],
  context: ToolContext,
  timeoutSeconds: number,
  listen: (gated: GatedProcess) => (end: RunEnd) => Printed,
): Promise<PreparedCall> {
  const started = await startCommand(deps, request, context)
  if (started.kind === "no") return withoutPreparation(context, async () => failed(started.reason))
  const { gated, network } = started
  const run = async (): Promise<ToolResult> => {
    if (context.signal.aborted) {
      gated.abandon()
      return cancelled
    }
    const startedAt = performance.now()
    const printed = listen(gated)
    gated.go()
    const end = await watchRun(gated, timeoutSeconds * 1000, context.signal, network?.waitedMs)
    const durationMs = Math.round(performance.now() - startedAt)
    return resultOf(end, printed(end), timeoutSeconds, durationMs, network?.refusals())
  }
  return { process: gated.process, run, abandon: () => gated.abandon() }
}

export interface RunEnd {
  readonly kind: "exited" | "timed-out" | "cancelled"
  readonly exit: Exit
  readonly remaining: "nothing" | "background" | "unkillable"
}

/** How long output is read after the exit, in short intervals, so that what has arrived is processed in between. */
const OUTPUT_CHECK_MS = 50
const MAX_OUTPUT_CHECKS = 4
/** Delays between checks whether a process outlived its command. */
const ALIVE_CHECK_DELAYS_MS = [5, 15, 30, 50]

/** Until it exits, the time is over or the signal stops it. Waiting for an answer of a person does not count. */
export async function watchRun(
  gated: GatedProcess,
  timeoutMs: number,
  signal: AbortSignal,
  waitedMs: () => number = () => 0,
): Promise<RunEnd> {
  const outputEnded = Promise.allSettled([once(gated.stdout, "close"), once(gated.stderr.resume(), "close")])
  const kind = await endOrStop(gated, timeoutMs, signal, waitedMs)
  const hasExited = kind === "exited" || (await gated.kill())
  await remainingOutput(outputEnded)
  gated.ignoreOutput()
  if (!hasExited) return { kind, exit: { code: null, signal: null }, remaining: "unkillable" }
  const exit = await gated.exited
  return { kind, exit, remaining: kind === "exited" && (await hasBackground(gated)) ? "background" : "nothing" }
}

async function endOrStop(
  gated: GatedProcess,
  timeoutMs: number,
  signal: AbortSignal,
  waitedMs: () => number,
): Promise<RunEnd["kind"]> {
  const stop = Promise.withResolvers<"timed-out" | "cancelled">()
  const cancel = () => stop.resolve("cancelled")
  let counted = 0
  const onTimeout = () => {
    const more = waitedMs() - counted
    counted += more
    if (more <= 0) stop.resolve("timed-out")
    else timer = setTimeout(onTimeout, Math.ceil(more))
  }
  let timer = setTimeout(onTimeout, timeoutMs)
  signal.addEventListener("abort", cancel, { once: true })
  const kind = await Promise.race([gated.exited.then(() => "exited" as const), stop.promise])
  clearTimeout(timer)
  signal.removeEventListener("abort", cancel)
  return kind
}

async function remainingOutput(outputEnded: Promise<unknown>): Promise<void> {
  for (let check = 0; check < MAX_OUTPUT_CHECKS; check++) {
    const ended = await Promise.race([outputEnded.then(() => true), sleep(OUTPUT_CHECK_MS, false)])
    if (ended) return
  }
}

/** A process that closed its pipes may need a moment to exit, so it is checked again. */
async function hasBackground(gated: GatedProcess): Promise<boolean> {
  for (const wait of ALIVE_CHECK_DELAYS_MS) {
    if (!(await gated.isAlive())) return false
    await sleep(wait)
  }
  return gated.isAlive()
}

function resultOf(
  end: RunEnd,
  { text, truncated, advice }: Printed,
  timeoutSeconds: number,
  durationMs: number,
  refusals: readonly string[] = [],
): ToolResult {
  const { code: exitCode, signal } = end.exit
  const sentences = {
    exited: exitCode === 0 ? [] : [exitCode === null ? `ended by ${signal}` : `exit code ${exitCode}`],
    "timed-out": [
      `The command did not end in ${timeoutSeconds} s and was killed; above is what it printed until then.`,
    ],
    cancelled: ["The command was cancelled and killed."],
  }[end.kind]
  const notices = {
    nothing: [],
    background: ["[Processes that it left in the background are still running.]"],
    unkillable: ["[Some of its processes could not be killed.]"],
  }[end.remaining]
  const lines = [
    text === "" ? "(no output)" : text,
    ...sentences,
    ...(advice === undefined ? [] : [advice]),
    ...refusals.map((sentence) => `[${sentence}]`),
    ...notices,
  ]
  const details = { exitCode, signal, durationMs, truncated }
  return { outcome: endedWell(end) ? "done" : "failed", output: lines.join("\n"), details }
}

export function endedWell({ kind, exit }: RunEnd): boolean {
  return kind === "exited" && exit.code === 0
}
