// Figures of a living process, from /proc.
import { readdirSync, readFileSync } from "node:fs"

/** Kilobytes that it has in memory now. */
export function memoryOf(pid: number): number {
  const found = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))
  if (found === null) throw new Error(`process ${pid} has no memory: it has ended`)
  return Number(found[1])
}

export function openFilesOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length
}
