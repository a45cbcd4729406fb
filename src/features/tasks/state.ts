// What decisions need to know of the task list: how long it is. Its content is folded in task-list.ts.
export interface TasksState {
  readonly taskCount: number
}
