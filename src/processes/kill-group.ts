// Ends processes reliably: SIGTERM, then SIGKILL, repeated until none is left. Processes that left their group are found
// by their mark (Linux). Processes that cannot be killed are reported after a limit.
import { setTimeout as sleep } from "node:timers/promises"
import { limits } from "../contract/limits.ts"
import { markedAmong } from "./mark.ts"
import { runningProcesses, startedSince, type RunningProcess } from "./process-table.ts"

/** What is still alive: groups known to be ours, and single processes. */
export interface Leftovers {
  readonly groups: readonly number[]
  readonly pids: readonly number[]
}

export interface Group {
  readonly group: number
  readonly mark: string
  /** Start time of the group's leader. */
  readonly startTime: string
}

const GIVE_UP_MS = 10_000

/** True if all are gone. */
export function killGroup(target: Group): Promise<boolean> {
  return killUntilGone(() => leftoversOf(target))
}

/** True if `findLeftovers` found none. */
export async function killUntilGone(findLeftovers: () => Promise<Leftovers>): Promise<boolean> {
  const startedAt = performance.now()
  for (let round = 0; ; round++) {
    const leftovers = await findLeftovers()
    if (leftovers.groups.length === 0 && leftovers.pids.length === 0) return true
    const elapsedMs = performance.now() - startedAt
    if (elapsedMs >= GIVE_UP_MS) return false
    if (round === 0) signalAll(leftovers, "SIGTERM")
    if (elapsedMs >= limits.killAfterMs) signalAll(leftovers, "SIGKILL")
    await sleep(Math.min(5 * 2 ** round, 100))
  }
}

/** Whether a group has a living member. One system call if it is empty; a process that was not reaped yet is none. */
export async function isGroupAlive(target: Group): Promise<boolean> {
  if (!signal(-target.group, 0)) return false
  const running = startedSince(target.group, target.startTime) ?? (await runningProcesses())
  return membersOf(target, running).length > 0
}

/** A leader with another start time belongs to another process: ours is gone and its id was reused. */
export function membersOf(
  target: Pick<Group, "group" | "startTime">,
  running: readonly RunningProcess[],
): RunningProcess[] {
  const members = running.filter((candidate) => candidate.group === target.group)
  const leader = members.find((candidate) => candidate.pid === target.group)
  return leader !== undefined && leader.startTime !== target.startTime ? [] : members
}

async function leftoversOf(target: Group): Promise<Leftovers> {
  const running = await runningProcesses()
  const members = membersOf(target, running)
  const others = running.filter((candidate) => !members.includes(candidate) && isYounger(candidate, target))
  const strays = await markedAmong(others, [target.mark])
  return { groups: members.length > 0 ? [target.group] : [], pids: strays.map((stray) => stray.pid) }
}

/** Avoids reading most environments. Start times are numbers on Linux; elsewhere marks cannot be read. */
function isYounger(candidate: RunningProcess, target: Group): boolean {
  return !(Number(candidate.startTime) < Number(target.startTime))
}

function signalAll(leftovers: Leftovers, name: NodeJS.Signals): void {
  for (const group of leftovers.groups) signal(-group, name)
  for (const pid of leftovers.pids) signal(pid, name)
}

/** False if there is no such process. EPERM means that it exists. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name)
  } catch (fault) {
    if (isSystemFault(fault, "ESRCH")) return false
    if (isSystemFault(fault, "EPERM")) return true
    throw fault
  }
}

function isSystemFault(fault: unknown, code: string): boolean {
  return fault instanceof Error && "code" in fault && fault.code === code
}
