// Ends processes of a dead host and reports what happened to each. A stored pid may have been reused, so a group counts as
// ours only while its leader has the stored start time; without a leader only marked members do.
import type { ToolProcess } from "../contract/values.ts"
import { killUntilGone, membersOf, type Leftovers } from "./kill-group.ts"
import { markedAmong } from "./mark.ts"
import { runningProcesses } from "./process-table.ts"

export interface SweepResult {
  readonly process: ToolProcess
  readonly outcome:
    | "was gone already"
    | "was still running, killed"
    | "is still running and cannot be killed"
    | "ran on another machine or before a restart, and cannot be looked at from here"
  /** As a sentence for users and the model. */
  readonly evidence: string
}

/**
 * `marks` name the dead host or one of its owners; every process that has one is killed, too. `boot` is that of this machine:
 * the pids of another one mean other processes here.
 */
export async function sweep(
  processes: readonly ToolProcess[],
  marks: readonly string[],
  boot?: string,
): Promise<SweepResult[]> {
  const isHere = (one: ToolProcess) => one.boot === undefined || boot === undefined || one.boot === boot
  const seen = new Set<number>()
  let remaining = new Set<number>()
  await killUntilGone(async () => {
    const found = await findLeftovers(processes.filter(isHere), marks)
    remaining = found.liveGroups
    for (const group of remaining) seen.add(group)
    return found
  })
  return processes.map((one) => {
    const outcome = isHere(one) ? outcomeOf(one.group, seen, remaining) : elsewhere
    return { process: one, outcome, evidence: `Process ${one.pid} ${outcome}.` }
  })
}

/** As `sweep` without a report; true if nothing is left. A group without its leader is left to the reaper of its host. */
export async function endProcesses(processes: readonly ToolProcess[], marks: readonly string[]): Promise<boolean> {
  if (!(await killUntilGone(() => findLeftovers(processes, marks)))) return false
  const running = await runningProcesses()
  return processes.every((one) => membersOf(one, running).length === 0)
}

async function findLeftovers(
  processes: readonly ToolProcess[],
  marks: readonly string[],
): Promise<Leftovers & { liveGroups: Set<number> }> {
  const running = await runningProcesses()
  const isLeader = (one: ToolProcess) =>
    one.pid === one.group && processes.some(({ pid, startTime }) => pid === one.pid && startTime === one.startTime)
  const groups = running.filter(isLeader).map((one) => one.group)
  const others = running.filter((one) => !groups.includes(one.group) && one.pid !== process.pid)
  const marked = await markedAmong(others, marks)
  const liveGroups = new Set([...groups, ...marked.map((one) => one.group)])
  return { groups, pids: marked.map((one) => one.pid), liveGroups }
}

const elsewhere = "ran on another machine or before a restart, and cannot be looked at from here"

function outcomeOf(group: number, seen: Set<number>, remaining: Set<number>): SweepResult["outcome"] {
  if (remaining.has(group)) return "is still running and cannot be killed"
  return seen.has(group) ? "was still running, killed" : "was gone already"
}
