// The task list that users and agents of a session share. Tasks are named by number.
import { limits } from "../../contract/limits.ts"
import type { TaskPriority, TaskStatus } from "../../contract/values.ts"
import type { SessionSnapshot } from "../../contract/views/session-snapshot.ts"
import { inOneLine, readyTasks, taskTree, type Task, type TaskList } from "../../features/tasks/task-list.ts"
import { lengthError, parseNumber, parseOptions, usageError } from "../arguments.ts"
import type { SlashCall, SlashGroup, SlashStep } from "../command.ts"
import { done, failed, list, querySnapshot, send } from "../steps.ts"

export const taskCommands: SlashGroup = {
  title: "Tasks",
  commands: [
    { name: "tasks", help: "show tasks as a tree", run: showTree },
    { name: "task:list", help: "list tasks by number", run: ({ view }) => listTasks(view.tasks, "No tasks") },
    {
      name: "task:ready",
      help: "list tasks that can be started",
      run: ({ view }) => listTasks(readyTasks(view.tasks), "No task is ready"),
    },
    {
      name: "task:add",
      usage: "<text> [--priority urgent|high|normal|low] [--under N]",
      help: "add a task",
      run: addTask,
    },
    { name: "task:start", usage: "<id>", help: "mark a task as in progress", maxArgs: 1, run: start },
    {
      name: "task:complete",
      usage: "[id]",
      help: "mark a task as completed",
      run: (call) => finish(call, "completed"),
    },
    { name: "task:skip", usage: "[id] [reason]", help: "skip a task", run: (call) => finish(call, "skipped") },
    { name: "task:block", usage: "<id> [reason]", help: "mark a task as blocked", run: block },
    { name: "task:depends", usage: "<id> <on>", help: "make a task wait for another", maxArgs: 2, run: addDependency },
    { name: "task:time", usage: "[id]", help: "show the time spent on tasks", maxArgs: 1, run: showTime },
  ],
}

const priorities: readonly TaskPriority[] = ["urgent", "high", "normal", "low"]

const actions = {
  pending: "task_reopened",
  "in-progress": "task_started",
  completed: "task_completed",
  failed: "task_failed",
  blocked: "task_blocked",
  skipped: "task_skipped",
} as const satisfies Record<TaskStatus, string>

function showTree({ view: { tasks } }: SlashCall): SlashStep {
  const counts = `${tasks.filter(({ status }) => status === "completed").length} of ${tasks.length} completed`
  return done("tasks_shown", tasks.length === 0 ? "No tasks" : `${taskTree(tasks)}${counts}`)
}

function listTasks(tasks: TaskList, none: string): SlashStep {
  return list("tasks_listed", tasks.slice(-limits.tasks).map(taskLine), none)
}

function addTask(call: SlashCall): SlashStep {
  const { positionals, values } = parseOptions(call.args, ["--priority", "--under"])
  const text = positionals.join(" ").trim()
  const requestedPriorities = values("--priority").map((word) => priorities.find((known) => known === word))
  const parents = values("--under").map(parseNumber)
  if (text === "" || requestedPriorities.includes(undefined) || parents.includes(undefined)) return usageError(call)
  const [priority, parent] = [requestedPriorities.at(-1), parents.at(-1)]
  if (parent !== undefined && !call.view.tasks.some(({ task }) => task === parent)) return unknownTask(parent)
  return lengthError("The text", text) ?? send({ type: "add-task", text, priority, parent }, showAdded(call, text))
}

/** Its number is known only then: other clients may add tasks at the same time. */
function showAdded(call: SlashCall, text: string): SlashStep {
  const answer = ({ tasks }: Pick<SessionSnapshot, "tasks">) => {
    const task = tasks.findLast((other) => other.text === text)
    return done("task_added", task === undefined ? text : taskLine(task))
  }
  return querySnapshot(call, answer, { onRefusal: () => answer({ tasks: [] }) })
}

function start(call: SlashCall): SlashStep {
  const task = parseNumber(call.args[0])
  return task === undefined ? usageError(call) : changeStatus(call, task, "in-progress")
}

/** Without a number: the task that was started last. */
function finish(call: SlashCall, status: "completed" | "skipped"): SlashStep {
  const [first, ...rest] = call.args
  const number = parseNumber(first)
  const reason = (number === undefined ? call.args : rest).join(" ").trim()
  if (status === "completed" && reason !== "") return usageError(call)
  const task = number ?? currentTask(call.view.tasks)?.task
  if (task === undefined) return failed(`No task is in progress; name one: /${call.name} N`)
  return changeStatus(call, task, status, reason)
}

function block(call: SlashCall): SlashStep {
  const [first, ...reason] = call.args
  const task = parseNumber(first)
  return task === undefined ? usageError(call) : changeStatus(call, task, "blocked", reason.join(" ").trim())
}

function addDependency(call: SlashCall): SlashStep {
  const [task, dependsOn] = call.args.map(parseNumber)
  if (task === undefined || dependsOn === undefined) return usageError(call)
  const output = `Task ${task} waits for task ${dependsOn}`
  return send({ type: "change-task", task, dependsOn }, done("task_depends", output))
}

function showTime(call: SlashCall): SlashStep {
  const [word] = call.args
  const number = parseNumber(word)
  if (word !== undefined && number === undefined) return usageError(call)
  const matching = call.view.tasks.filter(({ task, startedAt }) =>
    number === undefined ? startedAt !== undefined : task === number,
  )
  if (matching.length === 0 && number !== undefined) return unknownTask(number)
  const now = call.options.now()
  return list(
    "task_time",
    matching.map((task) => timeLine(task, now)),
    "No task was started",
  )
}

function changeStatus(call: SlashCall, task: number, status: TaskStatus, reason = ""): SlashStep {
  const found = call.view.tasks.find((other) => other.task === task)
  if (found === undefined) return unknownTask(task)
  const because = reason || undefined
  const answer = done(actions[status], taskLine({ ...found, status, reason: because }))
  return lengthError("The reason", reason) ?? send({ type: "change-task", task, status, reason: because }, answer)
}

function unknownTask(task: number): SlashStep {
  return failed(`There is no task ${task}; /task:list shows them`)
}

function currentTask(tasks: TaskList): Task | undefined {
  const running = tasks.filter(({ status }) => status === "in-progress")
  return running.toSorted((a, b) => (a.startedAt ?? 0) - (b.startedAt ?? 0)).at(-1)
}

function taskLine({ task, text, status, priority, parent, dependsOn, reason }: Task): string {
  const notes = [
    priority === "normal" ? "" : priority,
    parent === undefined ? "" : `under ${parent}`,
    dependsOn.length === 0 ? "" : `after ${dependsOn.join(", ")}`,
    inOneLine(reason ?? ""),
  ].filter((note) => note !== "")
  return `${task}. [${status}] ${inOneLine(text)}${notes.length === 0 ? "" : ` (${notes.join("; ")})`}`
}

function timeLine({ task, text, startedAt, endedAt }: Task, now: number): string {
  if (startedAt === undefined) return `${task}. ${inOneLine(text)}: not started`
  const spent = formatTime((endedAt ?? now) - startedAt)
  return `${task}. ${inOneLine(text)}: ${spent}${endedAt === undefined ? " so far" : ""}`
}

/** `1:02:03` or `2:03` */
function formatTime(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  const rest = String(seconds % 60).padStart(2, "0")
  return hours === 0 ? `${minutes}:${rest}` : `${hours}:${String(minutes).padStart(2, "0")}:${rest}`
}
