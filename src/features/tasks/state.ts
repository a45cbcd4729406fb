// What decisions need to know of the task list: its highest number. Its content is folded in task-list.ts.
import type { EventOf } from "../../contract/events.ts"

export interface TasksState {
  readonly taskCount: number
}

/** The agent wrote its list, numbered while the session had `taskCount` tasks. */
export interface TasksReport extends Omit<EventOf<"tasks.written">, "type"> {
  readonly type: "tasks-written"
  readonly taskCount: number
}
