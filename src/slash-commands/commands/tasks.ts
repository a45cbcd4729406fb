// The list of tasks that a session's people and agents share. Tasks are known by their numbers.
import { limits } from "../../contract/limits.ts"
import type { TaskStatus } from "../../contract/values.ts"
import { readyTasks, taskTree, type Task, type TaskList } from "../../projection/tasks.ts"
import { numberOf, tooLong, wrongUsage } from "../arguments.ts"
import { done, failed, send, type SlashCall, type SlashGroup, type SlashStep } from "../command.ts"
import { addTask } from "./task-add.ts"
import { taskLine, timeLine } from "./task-lines.ts"

export const taskCommands: SlashGroup = {
  title: "Tasks",
  commands: [
    { name: "tasks", usage: "", help: "shows the tasks as a tree", run: tree },
    { name: "task:list", usage: "", help: "lists them with their numbers", run: list },
    { name: "task:ready", usage: "", help: "lists those that can be begun", run: ready },
    {
      name: "task:add",
      usage: "<text> [--priority urgent|high|normal|low] [--under N]",
      help: "adds one",
      run: addTask,
    },
    { name: "task:start", usage: "<id>", help: "says that it is being done", run: (call) => start(call) },
    { name: "task:complete", usage: "[id]", help: "says that it is done", run: (call) => finish(call, "completed") },
    { name: "task:skip", usage: "[id] [reason]", help: "leaves it out", run: (call) => finish(call, "skipped") },
    { name: "task:block", usage: "<id> [reason]", help: "says that something stands in its way", run: block },
    { name: "task:depends", usage: "<id> <on>", help: "lets it wait for another one", run: depends },
    { name: "task:time", usage: "[id]", help: "how long it took, or takes already", run: time },
  ],
}

function tree({ view: { tasks } }: SlashCall): SlashStep {
  const counts = `${tasks.filter(({ status }) => status === "completed").length} of ${tasks.length} completed`
  return done("tasks_shown", tasks.length === 0 ? "No tasks" : `${taskTree(tasks)}${counts}`)
}

function list({ view: { tasks } }: SlashCall): SlashStep {
  return done("tasks_listed", lines(tasks, "No tasks"))
}

function ready({ view: { tasks } }: SlashCall): SlashStep {
  return done("tasks_listed", lines(readyTasks(tasks), "No task is ready"))
}

function start(call: SlashCall): SlashStep {
  const task = numberOf(call.args[0])
  if (task === undefined || call.args.length > 1) return wrongUsage(call)
  return change(call, task, "in-progress")
}

function finish(call: SlashCall, status: "completed" | "skipped"): SlashStep {
  const [first, ...rest] = call.args
  const number = numberOf(first)
  const reason = (number === undefined ? call.args : rest).join(" ").trim()
  if (status === "completed" && reason !== "") return wrongUsage(call)
  if (number !== undefined) return change(call, number, status, reason)
  const current = currentTask(call.view.tasks)
  if (current === undefined) return failed(`No task is in progress; name one: /${call.name} N`)
  return change(call, current.task, status, reason)
}

function block(call: SlashCall): SlashStep {
  const [first, ...reason] = call.args
  const task = numberOf(first)
  return task === undefined ? wrongUsage(call) : change(call, task, "blocked", reason.join(" ").trim())
}

function depends(call: SlashCall): SlashStep {
  const [task, dependsOn] = call.args.map(numberOf)
  if (task === undefined || dependsOn === undefined || call.args.length > 2) return wrongUsage(call)
  const answer = done("task_depends", `Task ${task} waits for task ${dependsOn}`)
  return send([{ type: "change-task", task, dependsOn }], answer)
}

function time(call: SlashCall): SlashStep {
  const { tasks } = call.view
  const [word, ...more] = call.args
  const number = numberOf(word)
  if (more.length > 0 || (word !== undefined && number === undefined)) return wrongUsage(call)
  const meant = tasks.filter(({ task, startedAt }) =>
    number === undefined ? startedAt !== undefined : task === number,
  )
  if (meant.length === 0) return number === undefined ? done("task_time", "No task was begun") : unknown(number)
  const now = call.options.now()
  return done("task_time", meant.map((task) => timeLine(task, now)).join("\n"))
}

function change(call: SlashCall, task: number, status: TaskStatus, reason = ""): SlashStep {
  const found = call.view.tasks.find((other) => other.task === task)
  if (found === undefined) return unknown(task)
  const because = reason === "" ? {} : { reason }
  const answer = done(actions[status], taskLine({ ...found, status, reason: reason || undefined }))
  return tooLong("The reason", reason) ?? send([{ type: "change-task", task, status, ...because }], answer)
}

const actions = {
  pending: "task_reopened",
  "in-progress": "task_started",
  completed: "task_completed",
  failed: "task_failed",
  blocked: "task_blocked",
  skipped: "task_skipped",
} as const satisfies Record<TaskStatus, string>

function unknown(task: number): SlashStep {
  return failed(`There is no task ${task}; /task:list shows them`)
}

/** The one that was begun last. */
function currentTask(tasks: TaskList): Task | undefined {
  const running = tasks.filter(({ status }) => status === "in-progress")
  return running.toSorted((a, b) => (a.startedAt ?? 0) - (b.startedAt ?? 0)).at(-1)
}

function lines(tasks: TaskList, none: string): string {
  const shown = tasks.slice(-limits.tasks).map(taskLine)
  return shown.length === 0 ? none : shown.join("\n")
}
