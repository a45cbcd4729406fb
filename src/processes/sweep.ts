// For whoever takes over the sessions of a dead host: makes sure that none of its processes goes on, and says what
// became of each. A pid may belong to a stranger by now, so a group counts as ours only while its leader has the pid
// and the start time that were stored; without the leader only members that carry a mark do.
import type { ToolProcess } from "../contract/values.ts"
import { killUntilGone, membersOf, type Leftovers } from "./kill-group.ts"
import { markedAmong } from "./mark.ts"
import { runningProcesses } from "./process-table.ts"

export interface Swept {
  readonly process: ToolProcess
  readonly fate: "was gone already" | "was still running, killed" | "is still running and cannot be killed"
  /** The fate as a sentence for people and for the model. */
  readonly evidence: string
}

/** `marks` name the dead host, or what one owner had there; everything that carries one is killed too. */
export async function sweep(processes: readonly ToolProcess[], marks: readonly string[]): Promise<Swept[]> {
  const seen = new Set<number>()
  let left = new Set<number>()
  await killUntilGone(async () => {
    const found = await look(processes, marks)
    left = found.inhabited
    for (const group of left) seen.add(group)
    return found
  })
  return processes.map((one) => {
    const fate = fateOf(one.group, seen, left)
    return { process: one, fate, evidence: `Process ${one.pid} ${fate}.` }
  })
}

/**
 * The same without a word about each: true when nothing is left. A group that has lost its leader is not killed here, since
 * it may be a stranger's, but it counts as left: the reaper of its host ends it.
 */
export async function endProcesses(processes: readonly ToolProcess[], marks: readonly string[]): Promise<boolean> {
  if (!(await killUntilGone(() => look(processes, marks)))) return false
  const running = await runningProcesses()
  return processes.every((one) => membersOf(one, running).length === 0)
}

async function look(
  processes: readonly ToolProcess[],
  marks: readonly string[],
): Promise<Leftovers & { inhabited: Set<number> }> {
  const running = await runningProcesses()
  const isLeader = (one: ToolProcess) =>
    one.pid === one.group && processes.some(({ pid, startTime }) => pid === one.pid && startTime === one.startTime)
  const groups = running.filter(isLeader).map((one) => one.group)
  const others = running.filter((one) => !groups.includes(one.group) && one.pid !== process.pid)
  const marked = await markedAmong(others, marks)
  const inhabited = new Set([...groups, ...marked.map((one) => one.group)])
  return { groups, pids: marked.map((one) => one.pid), inhabited }
}

function fateOf(group: number, seen: Set<number>, left: Set<number>): Swept["fate"] {
  if (left.has(group)) return "is still running and cannot be killed"
  return seen.has(group) ? "was still running, killed" : "was gone already"
}
