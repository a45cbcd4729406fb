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
/** Of the start times in /proc, whatever the kernel's own clock. */
const TICKS_PER_SECOND = 100
/** Seconds in which no machine starts as many processes as there are numbers (at least 32,768). */
const TOO_SHORT_FOR_ALL_PIDS = 1
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
  const pids = allPids()
  const found: RunningProcess[] = []
  for (let from = 0; from < pids.length; from += sliceSize) {
    if (from > 0) await nextTick()
    found.push(...pids.slice(from, from + sliceSize).flatMap(livingProcess))
  }
  return found
}

/**
 * This process and those started after it, without reading the others: they have higher numbers, as long as the numbers
 * have not started again from the lowest one. Undefined where that is not certain. Linux only.
 */
export function startedSince(pid: number, startTime: string): readonly RunningProcess[] | undefined {
  if (process.platform !== "linux") return undefined
  const [seconds = 0] = readNumbers("/proc/uptime")
  const newest = readNumbers("/proc/loadavg").at(-1) ?? 0
  const isYoung = seconds - Number(startTime) / TICKS_PER_SECOND < TOO_SHORT_FOR_ALL_PIDS
  if (!isYoung || newest < pid) return undefined
  return allPids()
    .filter((other) => other >= pid)
    .flatMap(livingProcess)
}

function allPids(): number[] {
  return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? Number(name) : []))
}

function readNumbers(file: string): readonly number[] {
  return readFileSync(file, "utf8").trim().split(" ").map(Number)
}

function livingProcess(pid: number): readonly RunningProcess[] {
  const stat = readStat(pid)
  return stat?.alive === true ? [{ pid, group: stat.group, startTime: stat.startTime }] : []
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
