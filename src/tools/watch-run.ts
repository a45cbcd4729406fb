// Waits for a command that was let go: until its shell ends, its time is over or the call is cancelled. After the
// shell's end, output that is still on its way is taken for a moment; a background process may hold the pipe for ever.
import { once } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import type { Exit, GatedProcess } from "../processes/gated-process.ts"

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
