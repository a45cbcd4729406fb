import { taskTree } from "../../../features/tasks/task-list.ts"
import type { SessionModel } from "../../../clients/session/session-model.ts"
import { panelRow } from "./row-lines.ts"
import type { PanelRow, PanelTab } from "./tab.ts"

export const tasksTab: PanelTab = {
  title: "tasks",
  none: "No tasks. The agent keeps a list for longer work.",
  load: async (_place, { tasks }) => taskRows(tasks),
}

export function taskRows(tasks: SessionModel["tasks"]): readonly PanelRow[] {
  if (tasks.length === 0) return []
  const lines = taskTree(tasks).trimEnd().split("\n")
  return lines.map((left) => panelRow({ left }))
}
