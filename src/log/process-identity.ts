// Distinguishes a process from a later one with the same pid, and a living process from a dead one. A pid is valid only
// within one boot and one pid namespace, so both are part of `bootId`: two containers that share a home never compare
// pids.
import { spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { readFileSync, readlinkSync } from "node:fs"
import type { HostIdentity } from "./event-log.ts"

export function thisHost(role: string): HostIdentity {
  return {
    hostId: randomBytes(6).toString("hex"),
    role,
    pid: process.pid,
    startTime: startTimeOf(process.pid) ?? "",
    bootId: thisBoot(),
  }
}

/** False only if the process is certainly gone. For a process of another boot or container only its lease counts. */
export function isAlive(host: Pick<HostIdentity, "pid" | "startTime" | "bootId">): boolean {
  if (host.bootId !== thisBoot() || host.bootId === "" || host.startTime === "") return true
  try {
    return startTimeOf(host.pid) === host.startTime
  } catch {
    return true // unknown, for example because too many files are open: the lease decides
  }
}

/** True only if it is certainly the same process. */
export function isRunning({ pid, startTime, bootId }: Pick<HostIdentity, "pid" | "startTime" | "bootId">): boolean {
  return startTime !== "" && bootId === thisBoot() && startTimeOf(pid) === startTime
}

/** Stopped by a signal or a debugger: it keeps its locks and does nothing until it is continued. */
export function isStopped(pid: number): boolean {
  return /^[Tt]/.test((process.platform === "linux" ? fieldsFromProc(pid) : fieldsFromPs(pid))[0] ?? "")
}

/** Start time of the process in the system's format; undefined for a process that is gone or a zombie. */
export function startTimeOf(pid: number): string | undefined {
  if (process.platform === "linux") {
    const [state, ...fields] = fieldsFromProc(pid)
    return isGone(state) ? undefined : fields[18]
  }
  const [state, ...start] = fieldsFromPs(pid)
  return isGone(state) ? undefined : start.join(" ")
}

let boot: string | undefined

export function thisBoot(): string {
  boot ??= process.platform === "linux" ? bootFromProc() : bootFromSysctl()
  return boot
}

function bootFromProc(): string {
  const bootId = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()
  return `${bootId}/${readlinkSync("/proc/self/ns/pid")}`
}

/** The fields of /proc/PID/stat from the state on; empty for a process that is gone. */
function fieldsFromProc(pid: number): readonly string[] {
  const stat = readIfThere(`/proc/${pid}/stat`)
  // The second field is the program's name in parentheses, which may itself contain spaces and parentheses.
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? []
}

function fieldsFromPs(pid: number): readonly string[] {
  const line = outputOf("ps", ["-o", "state=", "-o", "lstart=", "-p", String(pid)])
  return line?.trim().split(/\s+/) ?? []
}

function bootFromSysctl(): string {
  return outputOf("sysctl", ["-n", "kern.bootsessionuuid"])?.trim() ?? ""
}

function isGone(state: string | undefined): boolean {
  return state === undefined || state === "" || state.startsWith("Z") || state.startsWith("X")
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8")
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ESRCH"))
      return undefined
    throw error
  }
}

function outputOf(program: string, args: readonly string[]): string | undefined {
  const { error, status, stdout } = spawnSync(program, args, { encoding: "utf8" })
  if (error !== undefined) throw error
  return status === 0 ? stdout : undefined // the exit code of ps means "no such process"
}
