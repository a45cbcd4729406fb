// The task list of a session, and its drawing in text. Tasks are never removed: one that is no longer needed is skipped.
// A task whose parent is missing is shown as a root.
import type { EventOf, Recorded } from "../../contract/events.ts"
import type { TaskPriority, TaskStatus } from "../../contract/values.ts"
import type { Task, TaskList } from "../../contract/views/session-snapshot.ts"

export type { Task, TaskList } from "../../contract/views/session-snapshot.ts"

export const noTasks: TaskList = []

export function foldTasks(tasks: TaskList, { at, event }: Recorded): TaskList {
  switch (event.type) {
    case "task.added":
      return [...tasks, added(event, at)]
    case "task.changed":
      return tasks.map((task) => (task.task === event.task ? changed(task, event, at) : task))
    default:
      return tasks // not about tasks
  }
}

/** Tasks that can be started: everything they depend on is done. */
export function readyTasks(tasks: TaskList): TaskList {
  const open = new Set(tasks.filter(({ status }) => !isFinished(status)).map(({ task }) => task))
  return tasks.filter(({ status, dependsOn }) => status === "pending" && !dependsOn.some((other) => open.has(other)))
}

export function taskTree(tasks: TaskList): string {
  if (tasks.length === 0) return "No tasks"
  const known = new Set(tasks.map(({ task }) => task))
  const byParent = Map.groupBy(tasks, ({ parent }) => (parent !== undefined && known.has(parent) ? parent : 0))
  const childrenOf = (task: number) => byParent.get(task) ?? []
  const roots = childrenOf(0).toSorted((a, b) => rank[a.priority] - rank[b.priority])
  return roots.flatMap((root) => [taskText(root), ...branches(childrenOf(root.task), "", childrenOf)]).join("")
}

function branches(tasks: TaskList, prefix: string, childrenOf: (task: number) => TaskList): readonly string[] {
  return tasks.flatMap((task, index) => {
    const isLast = index === tasks.length - 1
    const line = `${prefix}${isLast ? "└── " : "├── "}${taskText(task)}`
    return [line, ...branches(childrenOf(task.task), `${prefix}${isLast ? "    " : "│   "}`, childrenOf)]
  })
}

const rank: Readonly<Record<TaskPriority, number>> = { urgent: 0, high: 1, normal: 2, low: 3 }
const colour: Readonly<Record<TaskPriority, string>> = { urgent: "🔴 ", high: "🟠 ", normal: "", low: "🔵 " }
const icon: Readonly<Record<TaskStatus, string>> = {
  pending: "○",
  "in-progress": "◐",
  completed: "●",
  failed: "✗",
  blocked: "◌",
  skipped: "⊘",
}

function taskText({ status, priority, text }: Task): string {
  return `${icon[status]} ${colour[priority]}${inOneLine(text)}\n`
}

/** The tree has one line per task. */
export function inOneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim()
}

function added({ task, text, priority, parent }: EventOf<"task.added">, addedAt: number): Task {
  const open = {
    status: "pending",
    reason: undefined,
    dependsOn: [],
    startedAt: undefined,
    endedAt: undefined,
  } as const
  return { task, text, priority, parent, addedAt, ...open }
}

function changed(task: Task, { status, reason, dependsOn }: EventOf<"task.changed">, at: number): Task {
  const links = dependsOn === undefined ? task.dependsOn : [...new Set([...task.dependsOn, dependsOn])]
  const next = { ...task, dependsOn: links, reason: reason ?? task.reason }
  if (status === undefined) return next
  const startedAt = status === "in-progress" ? (task.startedAt ?? at) : task.startedAt
  return { ...next, status, reason, startedAt, endedAt: isFinished(status) ? at : undefined }
}

function isFinished(status: TaskStatus): boolean {
  return status === "completed" || status === "failed" || status === "skipped"
}
