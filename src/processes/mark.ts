// Every process that a host starts carries a mark in its environment, and so do the processes it starts in turn, also
// those that leave their group. A mark is a path of names joined by ":" (host, owner, number); asking for a shorter
// path finds everything below it. A process that clears its environment loses its mark.
import { readFile } from "node:fs/promises"
import type { RunningProcess } from "./process-table.ts"

export const markVariable = "TURNHOUSE_MARK"

/** The processes among `candidates` whose environment carries one of the marks. Only Linux lets us look. */
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
  return value !== undefined && marks.some((wanted) => value === wanted || value.startsWith(`${wanted}:`))
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
    return "" // it has ended in the meantime, or belongs to somebody else: not ours in either case
  }
}
