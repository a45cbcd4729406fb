// The task list that the people and agents of a session share. Tasks are numbered in order, so every number up to the
// count is a task.
import type { Feature } from "../../session/feature.ts"
import type { TasksState } from "./state.ts"
import type { CommandOf } from "../../contract/commands.ts"
import { limits } from "../../contract/limits.ts"
import { accepted, refused, type Decision, type Stamp } from "../../session/decision.ts"
import type { SessionState } from "../../session/state.ts"

export const tasks = {
  initial: { taskCount: 0 },
  commands: { "add-task": addTask, "change-task": changeTask },
  evolve: {
    "task.added": (_, { task }) => ({ taskCount: task }),
    "task.changed": () => ({}),
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
