// Ends the Turnhouse programs of a temporary home, whatever has started them: hosts, their standby shells, the log writer,
// and viewers, which would start a host in a home that is removed. They are found in the process list by their command line
// and the home in their environment.
import { execFile } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import { basename } from "node:path"
import { runningProcesses } from "../../processes/process-table.ts"
import { entryFile } from "../../program/program-files.ts"

const runFile = promisify(execFile)
const lookEveryMs = 100
/** The process list is this often empty before it counts: a host that dies may be starting the next one. */
const QUIET_LOOKS = 2
const MAX_LIST_BYTES = 64 * 1024 * 1024

export interface ListedProcess {
  readonly pid: number
  /** Its words, separated by blanks. */
  readonly commandLine: string
}

/** After `patienceMs` they are killed. The writer is the last: while hosts leave they need it. */
export async function endPrograms(home: string, patienceMs: number): Promise<void> {
  const deadline = performance.now() + patienceMs
  for (let quiet = 0; quiet < QUIET_LOOKS; await sleep(lookEveryMs)) {
    const programs = await programsOf(home)
    const others = programs.filter(({ commandLine }) => !isWriter(commandLine))
    const isLate = performance.now() > deadline
    for (const { pid } of isLate || others.length === 0 ? programs : others) signal(pid, isLate ? "SIGKILL" : "SIGTERM")
    quiet = programs.length === 0 ? quiet + 1 : 0
  }
}

/** Living processes whose command line contains the text. */
export async function processesNaming(text: string): Promise<readonly ListedProcess[]> {
  const all = process.platform === "linux" ? fromProc(() => true) : await fromPs([])
  return all.filter(({ pid, commandLine }) => pid !== process.pid && commandLine.includes(text))
}

/** Waits for processes that others end. */
export async function untilNoneNames(text: string, patienceMs: number): Promise<void> {
  const deadline = performance.now() + patienceMs
  while ((await processesNaming(text)).length > 0 && performance.now() < deadline) await sleep(lookEveryMs)
}

/** Not a zombie. */
export async function isRunning(pid: number): Promise<boolean> {
  return (await runningProcesses()).some((one) => one.pid === pid)
}

async function programsOf(home: string): Promise<readonly ListedProcess[]> {
  const setting = `TURNHOUSE_HOME=${home}`
  const isLinux = process.platform === "linux"
  const listed = isLinux ? fromProc((pid) => environmentHas(pid, setting)) : await fromPs(["-E"])
  const inHome = isLinux ? listed : listed.filter(({ commandLine }) => commandLine.includes(setting))
  return inHome.filter(({ pid, commandLine }) => pid !== process.pid && commandLine.includes(basename(entryFile)))
}

function isWriter(commandLine: string): boolean {
  return commandLine.includes(`${basename(entryFile)} log-writer`)
}

function fromProc(isWanted: (pid: string) => boolean): readonly ListedProcess[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name))
  return pids.filter(isWanted).flatMap((pid) => {
    const commandLine = readIfThere(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim()
    return commandLine === "" ? [] : [{ pid: Number(pid), commandLine }] // zombies have none
  })
}

/** With `-E` the environment follows the command line. */
async function fromPs(more: readonly string[]): Promise<readonly ListedProcess[]> {
  const { stdout } = await runFile("ps", ["-A", "-ww", ...more, "-o", "pid=,command="], { maxBuffer: MAX_LIST_BYTES })
  return stdout.split("\n").flatMap((line) => {
    const [, pid, commandLine] = /^\s*(\d+)\s+(\S.*)$/.exec(line) ?? []
    return pid === undefined || commandLine === undefined ? [] : [{ pid: Number(pid), commandLine }]
  })
}

function environmentHas(pid: string, setting: string): boolean {
  return readIfThere(`/proc/${pid}/environ`).split("\0").includes(setting)
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return "" // it has ended in the meantime, or belongs to another user
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // it has ended in the meantime
  }
}
