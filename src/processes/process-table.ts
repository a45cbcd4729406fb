// Living processes of this machine: pid, group and start time. Zombies are excluded, because some containers never reap
// them. A pid with its start time identifies a process.
import { execFile } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { setImmediate as nextTick } from "node:timers/promises"
import { promisify } from "node:util"

export interface RunningProcess {
  readonly pid: number
  readonly group: number
  readonly startTime: string
}

/** What Linux says about one process. */
export interface ProcessStat extends RunningProcess {
  readonly parent: number
  readonly session: number
  readonly alive: boolean
}

const runFile = promisify(execFile)
/** Files of /proc read before yielding to the event loop. */
const sliceSize = 64

export function runningProcesses(): Promise<RunningProcess[]> {
  return process.platform === "linux" ? fromProc() : fromPs()
}

/** Undefined if there is no such process. */
export async function startTimeOf(pid: number): Promise<string | undefined> {
  if (process.platform === "linux") return readStat(pid)?.startTime
  const listed = await runFile("ps", ["-o", "lstart=", "-p", String(pid)]).catch(() => undefined) // exits with 1 for no match
  return listed?.stdout.trim() || undefined
}

async function fromProc(): Promise<RunningProcess[]> {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name))
  const found: RunningProcess[] = []
  for (let from = 0; from < pids.length; from += sliceSize) {
    if (from > 0) await nextTick()
    for (const pid of pids.slice(from, from + sliceSize)) {
      const stat = readStat(Number(pid))
      if (stat !== undefined && stat.alive) found.push({ pid: stat.pid, group: stat.group, startTime: stat.startTime })
    }
  }
  return found
}

/** Undefined if there is no such process. Linux only. */
export function readStat(pid: number): ProcessStat | undefined {
  try {
    return parseStat(pid, readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    return undefined // exited meanwhile
  }
}

/** The program name is in parentheses and may contain anything, so fields are counted from the last parenthesis. */
export function parseStat(pid: number, stat: string): ProcessStat {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  const threads = Number(fields[17])
  const ended = fields[0] === "X" || (fields[0] === "Z" && threads <= 1) // the first thread may end before the others
  const [parent, group, session] = fields.slice(1, 4).map(Number)
  return {
    pid,
    parent: parent ?? 0,
    group: group ?? 0,
    session: session ?? 0,
    startTime: fields[19] ?? "",
    alive: !ended,
  }
}

async function fromPs(): Promise<RunningProcess[]> {
  const { stdout } = await runFile("ps", ["-A", "-o", "pid=,pgid=,stat=,lstart="], { maxBuffer: 16 * 1024 * 1024 })
  return stdout.split("\n").flatMap((line) => {
    const [, pid, group, state, startTime] = /^(\d+)\s+(\d+)\s+(\S+)\s+(\S.*)$/.exec(line.trim()) ?? []
    if (pid === undefined || group === undefined || startTime === undefined || state?.startsWith("Z")) return []
    return [{ pid: Number(pid), group: Number(group), startTime }]
  })
}
