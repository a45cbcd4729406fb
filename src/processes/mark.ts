// Every process started by a host has a mark in its environment, which its descendants inherit. A mark is a path joined by
// ":" (host, owner, number); a prefix matches everything below it. A process that clears its environment loses its mark.
import { readFile } from "node:fs/promises"
import type { RunningProcess } from "./process-table.ts"

export const markVariable = "TURNHOUSE_MARK"

/** The candidates whose environment contains one of the marks. Linux only. */
export async function markedAmong(
  candidates: readonly RunningProcess[],
  marks: readonly string[],
): Promise<RunningProcess[]> {
  if (process.platform !== "linux" || marks.length === 0) return []
  const environments = await Promise.all(candidates.map((candidate) => environmentOf(candidate.pid)))
  return candidates.filter((_, index) => carriesMark(environments[index] ?? "", marks))
}

export function carriesMark(environment: string, marks: readonly string[]): boolean {
  const value = markIn(environment)
  return value !== undefined && marks.some((mark) => value === mark || value.startsWith(`${mark}:`))
}

/** The mark in the environment of a process, as /proc/PID/environ has it. */
export function markIn(environment: string): string | undefined {
  const start = `${markVariable}=`
  const entry = environment.split("\0").find((candidate) => candidate.startsWith(start))
  return entry?.slice(start.length)
}

async function environmentOf(pid: number): Promise<string> {
  try {
    return await readFile(`/proc/${pid}/environ`, "utf8")
  } catch {
    return "" // exited, or of another user
  }
}
