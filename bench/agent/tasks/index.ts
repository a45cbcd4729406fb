import type { Task } from "../task.ts"
import { contextTasks } from "./context.ts"
import { editingTasks } from "./editing.ts"
import { mistakeTasks } from "./mistakes.ts"
import { readingTasks } from "./reading.ts"
import { shellTasks } from "./shell.ts"

export const allTasks: readonly Task[] = [
  ...editingTasks,
  ...readingTasks,
  ...shellTasks,
  ...mistakeTasks,
  ...contextTasks,
]
