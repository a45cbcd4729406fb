// The task list that the people and the agent of a session share. Tasks are numbered in order; a number that the agent no
// longer uses is free for its next task.
import type { Feature } from "../../session/feature.ts"
import type { TasksReport, TasksState } from "./state.ts"
import type { CommandOf } from "../../contract/commands.ts"
import { limits } from "../../contract/limits.ts"
import { accepted, refused, stale, type Decision, type Stamp } from "../../session/decision.ts"
import type { SessionState } from "../../session/state.ts"

export const tasks = {
  initial: { taskCount: 0 },
  commands: { "add-task": addTask, "change-task": changeTask },
  reports: { "tasks-written": writeTasks },
  evolve: {
    "task.added": (_, { task }) => ({ taskCount: task }),
    "task.changed": () => ({}),
    "tasks.written": ({ taskCount }, { tasks: written }) => ({
      taskCount: written.reduce((highest, { task }) => Math.max(highest, task), taskCount),
    }),
  },
} satisfies Feature<TasksState>

function addTask(state: SessionState, command: CommandOf<"add-task">, stamp: Stamp): Decision {
  const { text, priority = "normal", parent } = command
  if (state.taskCount >= limits.tasks) return refused({ code: "tasks.too-many", limit: limits.tasks })
  if (parent !== undefined && parent > state.taskCount) return refused({ code: "task.unknown", task: parent })
  return accepted({ type: "task.added", task: state.taskCount + 1, text, priority, parent, by: stamp.by })
}

function changeTask(state: SessionState, command: CommandOf<"change-task">, stamp: Stamp): Decision {
  const { task, status, reason, dependsOn } = command
  if (task > state.taskCount) return refused({ code: "task.unknown", task })
  if (dependsOn === task) return refused({ code: "task.circular", task, dependsOn })
  if (dependsOn !== undefined && dependsOn > state.taskCount) return refused({ code: "task.unknown", task: dependsOn })
  if (status === undefined && reason === undefined && dependsOn === undefined) return accepted()
  return accepted({ type: "task.changed", task, status, reason, dependsOn, by: stamp.by })
}

/** Stale if a person added a task meanwhile: its number may be one of these. */
function writeTasks(state: SessionState, { taskCount, callId, tasks: written }: TasksReport): Decision {
  if (taskCount !== state.taskCount) return stale
  return accepted({ type: "tasks.written", callId, tasks: written })
}
