// Numbers for the list that an agent writes: a task keeps its number while its text stays, and numbers that the agent no
// longer uses come before new ones, so that a long session does not run out of them.
import type { Task, TaskList } from "./task-list.ts"

export type AgentTask = Pick<Task, "text" | "status">

export interface NumberedTask extends AgentTask {
  readonly task: number
}

export function numberTasks(tasks: TaskList, taskCount: number, wanted: readonly AgentTask[]): readonly NumberedTask[] {
  const owned = tasks.filter(({ isAgents }) => isAgents === true)
  const free = new Map(owned.map(({ task, text }) => [task, text]))
  const known = wanted.map(({ text }) => takeByText(free, text))
  const numbers = numbersFrom([...free.keys()], taskCount)
  return wanted.map((one, index) => ({ ...one, task: known[index] ?? numbers() }))
}

/** Whether writing the list would change nothing. */
export function isSameList(tasks: TaskList, numbered: readonly NumberedTask[]): boolean {
  const owned = tasks.filter(({ isAgents }) => isAgents === true)
  const isSame = (one: NumberedTask, index: number) =>
    owned[index]?.task === one.task && owned[index]?.text === one.text && owned[index]?.status === one.status
  return owned.length === numbered.length && numbered.every(isSame)
}

function takeByText(free: Map<number, string>, text: string): number | undefined {
  const found = [...free].find(([, other]) => other === text)?.[0]
  if (found !== undefined) free.delete(found)
  return found
}

function numbersFrom(free: readonly number[], taskCount: number): () => number {
  const left = [...free]
  let last = taskCount
  return () => left.shift() ?? ++last
}
