// Ends processes for certain: asks with SIGTERM, forces with SIGKILL after a while, and looks again until none is left.
// Processes that left their group are found by their mark (Linux). What cannot be ended, because the kernel or another
// user holds it, is given up after a limit and reported.
import { setTimeout as sleep } from "node:timers/promises"
import { limits } from "../contract/limits.ts"
import { markedAmong } from "./mark.ts"
import { runningProcesses, type RunningProcess } from "./process-table.ts"

/** What is still alive: whole groups that are ours beyond doubt, and single processes. */
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

const giveUpMs = 10_000

/** True when all is gone. */
export function killGroup(target: Group): Promise<boolean> {
  return killUntilGone(() => leftoversOf(target))
}

/** True when `look` found nothing any more. */
export async function killUntilGone(look: () => Promise<Leftovers>): Promise<boolean> {
  const began = performance.now()
  for (let round = 0; ; round++) {
    const left = await look()
    if (left.groups.length === 0 && left.pids.length === 0) return true
    const waited = performance.now() - began
    if (waited >= giveUpMs) return false
    if (round === 0) signalAll(left, "SIGTERM")
    if (waited >= limits.killAfterMs) signalAll(left, "SIGKILL")
    await sleep(Math.min(5 * 2 ** round, 100))
  }
}

/** Whether a group has a living member. The common answer, no, costs one system call. */
export async function isGroupAlive(target: Group): Promise<boolean> {
  if (!signal(-target.group, 0)) return false
  return membersOf(target, await runningProcesses()).length > 0
}

/** A group whose leader has another start time is a stranger's: ours is gone and its number was given away. */
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

/** Spares the reading of most environments. Start times are numbers on Linux; elsewhere marks cannot be read anyway. */
function isYounger(candidate: RunningProcess, target: Group): boolean {
  return !(Number(candidate.startTime) < Number(target.startTime))
}

function signalAll(left: Leftovers, name: NodeJS.Signals): void {
  for (const group of left.groups) signal(-group, name)
  for (const pid of left.pids) signal(pid, name)
}

/** False when nobody is there. Not being allowed to means that somebody is. */
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
