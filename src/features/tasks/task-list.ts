// The task list of a session, and its drawing in text. Tasks of people are never removed: one that is no longer needed is
// skipped. The agent replaces its own tasks.
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
    case "tasks.written":
      return [
        ...tasks.filter(({ isAgents }) => isAgents !== true),
        ...event.tasks.map((one) => written(tasks, one, at)),
      ]
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

/** Lines of a list that is drawn without its tree; the rest is counted. */
const MAX_LINES = 12

/** The agent's list in a few lines, for a running turn: around the first unfinished task if it is long. */
export function taskLines(tasks: readonly ShownTask[]): string {
  const first = Math.max(0, tasks.findIndex(({ status }) => !isFinished(status)) - 2)
  const start = Math.max(0, Math.min(first, tasks.length - MAX_LINES))
  const shown = tasks.slice(start, start + MAX_LINES)
  const counts = `tasks: ${tasks.filter(({ status }) => status === "completed").length} of ${tasks.length} completed`
  const more = tasks.length > shown.length ? [`  (+${tasks.length - shown.length} more: /tasks)`] : []
  return [counts, ...shown.map((task) => `  ${taskText(task).trimEnd()}`), ...more].join("\n")
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

type ShownTask = Pick<Task, "status" | "text"> & Partial<Pick<Task, "priority">>

function taskText({ status, priority = "normal", text }: ShownTask): string {
  return `${icon[status]} ${colour[priority]}${inOneLine(text)}\n`
}

/** The tree has one line per task. */
export function inOneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim()
}

function added({ task, text, priority, parent }: EventOf<"task.added">, addedAt: number): Task {
  return { ...emptyTask, task, text, priority, parent, addedAt }
}

const emptyTask = {
  priority: "normal",
  parent: undefined,
  status: "pending",
  reason: undefined,
  dependsOn: [],
  startedAt: undefined,
  endedAt: undefined,
} as const

type WrittenTask = EventOf<"tasks.written">["tasks"][number]

function written(tasks: TaskList, { task, text, status }: WrittenTask, at: number): Task {
  const before = tasks.find((other) => other.task === task && other.isAgents === true && other.text === text)
  if (before?.status === status) return before
  const known: Task = before ?? { ...emptyTask, task, text, addedAt: at, isAgents: true }
  return withStatus(known, status, at)
}

function changed(task: Task, { status, reason, dependsOn }: EventOf<"task.changed">, at: number): Task {
  const links = dependsOn === undefined ? task.dependsOn : [...new Set([...task.dependsOn, dependsOn])]
  const next = { ...task, dependsOn: links, reason: reason ?? task.reason }
  return status === undefined ? next : { ...withStatus(next, status, at), reason }
}

function withStatus(task: Task, status: TaskStatus, at: number): Task {
  const startedAt = status === "in-progress" ? (task.startedAt ?? at) : task.startedAt
  return { ...task, status, startedAt, endedAt: isFinished(status) ? at : undefined }
}

function isFinished(status: TaskStatus): boolean {
  return status === "completed" || status === "failed" || status === "skipped"
}
