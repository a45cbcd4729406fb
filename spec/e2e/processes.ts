// Processes of the machine, found by a unique word in their command line.
import { readdirSync, readFileSync } from "node:fs"

let count = 0

/** A number of seconds for `sleep` that is long, and that only this test uses. */
export function uniqueSleepSeconds(): string {
  count += 1
  return `3${process.pid}.${Date.now() % 1_000_000}${count}`
}

/** Living processes with this word in their command line; zombies have none. */
export function runningWith(word: string): readonly number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name))
  return pids.filter((pid) => commandLineOf(pid).includes(word)).map(Number)
}

/** Kilobytes that a process has had in memory at most. */
export function peakMemoryOf(pid: number): number {
  const peak = /^VmHWM:\s+(\d+) kB$/m.exec(readIfThere(`/proc/${pid}/status`))
  return Number(peak?.[1] ?? 0)
}

function commandLineOf(pid: string): string {
  return readIfThere(`/proc/${pid}/cmdline`)
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return "" // it has ended in the meantime
  }
}
