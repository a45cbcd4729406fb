// A process that is measured: the time of the processor that it and its helpers took, and its memory. Linux only.
import type { ChildProcess } from "node:child_process"
import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"

const TICK_MS = 10
const STOP_MS = 10_000

export class RunningProcess {
  readonly pid: number
  readonly #child: ChildProcess
  /** A variable of the environment that its helpers have, and no other process. */
  readonly #mark: string | undefined

  constructor(child: ChildProcess, mark?: string) {
    if (child.pid === undefined) throw new Error("the process did not start")
    this.pid = child.pid
    this.#child = child
    this.#mark = mark
  }

  /** Of all threads of the process and of its helpers (the log writer), and of the children that they have waited for. */
  get cpuMs(): number {
    return this.#family().reduce((sum, pid) => sum + cpuOf(pid), 0)
  }

  /** System calls that write, to files and sockets, of the process and its helpers. */
  get writeCalls(): number {
    return this.#family().reduce(
      (sum, pid) => sum + Number(/^syscw: (\d+)/m.exec(read(`/proc/${pid}/io`))?.[1] ?? 0),
      0,
    )
  }

  get memoryMiB(): number {
    return memoryOf(this.pid)
  }

  /** With its helpers. */
  get allMemoryMiB(): number {
    return this.#family().reduce((sum, pid) => sum + memoryOf(pid), 0)
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  async stop(): Promise<void> {
    if (this.hasEnded) return
    const gone = once(this.#child, "exit")
    this.#child.kill("SIGTERM")
    const limit = setTimeout(() => this.#child.kill("SIGKILL"), STOP_MS)
    await gone
    clearTimeout(limit)
  }

  #family(): readonly number[] {
    return this.#mark === undefined ? [this.pid] : [...new Set([this.pid, ...processesWith(this.#mark)])]
  }
}

/** Processes whose environment has this variable with this folder, or one below it. */
export function processesWith(variable: string): readonly number[] {
  const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name))
  return all
    .filter((pid) =>
      read(`/proc/${pid}/environ`)
        .split("\0")
        .some((line) => isBelow(line, variable)),
    )
    .map(Number)
}

/** Milliseconds of the processor: a process that is no Node, and its children. */
export function cpuOfTree(pid: number): number {
  const children = threadsOf(pid).flatMap((id) => read(`/proc/${pid}/task/${id}/children`).trim().split(" "))
  return [pid, ...children.filter(Boolean).map(Number)].reduce((sum, each) => sum + cpuOf(each), 0)
}

function isBelow(line: string, variable: string): boolean {
  return line === variable || line.startsWith(`${variable}/`)
}

function cpuOf(pid: number): number {
  const fields = read(`/proc/${pid}/stat`).split(") ")[1]?.split(" ") ?? []
  const ticks = (...indexes: readonly number[]) =>
    indexes.reduce((sum, at) => sum + Number(fields[at] ?? 0), 0) * TICK_MS
  // exact, but without threads that have ended
  const ofThreads = threadsOf(pid).reduce(
    (sum, id) => sum + Number(read(`/proc/${pid}/task/${id}/schedstat`).split(" ")[0]),
    0,
  )
  return Math.max(ofThreads / 1e6, ticks(11, 12) - TICK_MS) + ticks(13, 14)
}

function threadsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return [] // it has ended
  }
}

function memoryOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1024
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return "" // it has ended
  }
}
