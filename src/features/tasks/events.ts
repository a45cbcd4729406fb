// The task list that the people and agents of a session share.
import { z } from "zod"
import { command, durable, refusal } from "../../contract/define.ts"
import { CallId } from "../../contract/ids.ts"
import { limits } from "../../contract/limits.ts"
import { By, TaskPriority, TaskStatus } from "../../contract/values.ts"

/** Tasks of a session are numbered from 1. */
const TaskAdded = durable("task.added", 1, {
  task: z.int(),
  text: z.string(),
  priority: TaskPriority,
  parent: z.int().optional(),
  by: By,
})
const TaskChanged = durable("task.changed", 1, {
  task: z.int(),
  status: TaskStatus.optional(),
  reason: z.string().optional(),
  dependsOn: z.int().optional(),
  by: By,
})
/** The list of the session's agent, whole. Tasks of people stay; a task with a number of the agent's list continues it. */
const TasksWritten = durable("tasks.written", 1, {
  callId: CallId,
  tasks: z.array(z.object({ task: z.int(), text: z.string(), status: TaskStatus })),
})

const AddTask = command("add-task", {
  text: z.string().min(1).max(limits.nameLength),
  priority: TaskPriority.optional(),
  /** The task of which it is a part. */
  parent: z.int().min(1).optional(),
})
const ChangeTask = command("change-task", {
  task: z.int().min(1),
  status: TaskStatus.optional(),
  reason: z.string().max(limits.nameLength).optional(),
  /** The task that must be done before. */
  dependsOn: z.int().min(1).optional(),
})

export const tasksContract = {
  events: [TaskAdded, TaskChanged, TasksWritten],
  commands: [AddTask, ChangeTask],
  refusals: [
    refusal("task.unknown", { task: z.int() }),
    refusal("task.circular", { task: z.int(), dependsOn: z.int() }),
    refusal("tasks.too-many", { limit: z.int() }),
  ],
  deltas: [],
} as const
