// The task list that the people and agents of a session share.
import type { Feature } from "../../session/feature.ts"
import { addTask, changeTask } from "./decide.ts"
import type { TasksState } from "./state.ts"

export const tasks = {
  initial: { taskCount: 0 },
  commands: { "add-task": addTask, "change-task": changeTask },
  evolve: {
    "task.added": (_, { task }) => ({ taskCount: task }),
    "task.changed": () => ({}),
  },
} satisfies Feature<TasksState>
