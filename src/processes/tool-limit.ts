// Marks descendants of a host's child processes by a resource limit, so that a process that clears its environment or
// forks away is still recognised. RLIMIT_LOCKS: unused by Linux since 2.4.25, inherited by fork and exec, and it cannot be
// raised without CAP_SYS_RESOURCE. Linux only; elsewhere every process is at level 0.
import { createHash } from "node:crypto"
import { readFileSync, realpathSync } from "node:fs"

/** How deep a process is below hosts, and below a host of which home. */
export interface ToolLimit {
  /** 0: not started by a host. A host inside a tool of another host is at 1, its tools at 2. */
  readonly level: number
  /** Of the innermost home; see `homeTag`. */
  readonly tag: number
}

/** The value of the limit is (topLevel - level) * tagSize + tag, so that a deeper level is always a lower limit. */
const topLevel = 2 ** 20
const tagSize = 2 ** 32
const outside: ToolLimit = { level: 0, tag: 0 }

/** Shell commands that set the limit for the shell and its descendants. dash and busybox use -w, bash uses -x. */
export function limitCommand(home: string | undefined): string {
  if (process.platform !== "linux") return ":"
  const level = (toolLimitOf(process.pid) ?? outside).level + 1
  if (level > topLevel) return ":" // the machine's own limit leaves no room
  const value = (topLevel - level) * tagSize + (home === undefined ? 0 : homeTag(home))
  return `{ ulimit -w ${value} || ulimit -x ${value}; } 2>/dev/null`
}

/** Undefined if there is no such process. */
export function toolLimitOf(pid: number): ToolLimit | undefined {
  try {
    return parseLimits(readFileSync(`/proc/${pid}/limits`, "utf8"))
  } catch {
    return undefined
  }
}

export function parseLimits(text: string): ToolLimit {
  const hard = /^Max file locks +\S+ +(\d+)/m.exec(text)?.[1]
  if (hard === undefined || Number(hard) >= topLevel * tagSize) return outside
  return { level: topLevel - Math.floor(Number(hard) / tagSize), tag: Number(hard) % tagSize }
}

export function homeTag(home: string): number {
  return createHash("sha256").update(realPath(home)).digest().readUInt32BE(0)
}

function realPath(home: string): string {
  try {
    return realpathSync.native(home)
  } catch {
    return home // does not exist yet
  }
}
