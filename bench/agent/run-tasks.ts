// Runs tasks, two at a time, and collects what each took.
import { randomBytes } from "node:crypto"
import type { Agent, Outcome } from "./turnhouse.ts"
import type { Task } from "./task.ts"
import { Workspace } from "./workspace.ts"

export interface TaskReport extends Outcome {
  readonly task: string
  readonly measures: string
  /** Why it failed; undefined if it passed. */
  readonly problem: string | undefined
  readonly seconds: number
  /** Where the repository was kept. */
  readonly folder?: string
}

export interface RunOptions {
  readonly keepFolders?: boolean
  readonly onReport?: (report: TaskReport) => void
}

const workers = 2

export async function runTasks(tasks: readonly Task[], agent: Agent, options: RunOptions = {}): Promise<TaskReport[]> {
  const waiting = [...tasks]
  const reports = new Map<Task, TaskReport>()
  const work = async () => {
    for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) {
      const report = await runTask(task, agent, options.keepFolders ?? false)
      reports.set(task, report)
      options.onReport?.(report)
    }
  }
  await Promise.all(Array.from({ length: workers }, work))
  return tasks.flatMap((task) => reports.get(task) ?? [])
}

async function runTask(task: Task, agent: Agent, keepsFolder: boolean): Promise<TaskReport> {
  const workspace = new Workspace(task, newWord())
  const startedAt = performance.now()
  try {
    await workspace.prepare()
    if (task.isTrusted === true) await agent.trust(workspace.folder)
    const outcome = await agent.run(workspace.folder, task.instruction)
    const problem = await workspace.problem()
    const seconds = (performance.now() - startedAt) / 1000
    const kept = keepsFolder ? { folder: workspace.folder } : {}
    return { task: task.name, measures: task.measures, ...outcome, problem, seconds, ...kept }
  } finally {
    if (!keepsFolder) workspace.remove()
  }
}

/** Letters only, so that it can be part of a name in any language. */
function newWord(): string {
  return [...randomBytes(8)].map((byte) => String.fromCharCode(97 + (byte % 26))).join("")
}
