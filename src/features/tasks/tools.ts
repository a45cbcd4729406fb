// The tool with which a model keeps its task list. It writes the whole list each time, as models are used to.
import { checks, toolInputSchemas } from "../../contract/generated/tool-inputs.js"
import type { TodoInput } from "../../contract/tool-inputs.ts"
import { defineTool, failed, withoutPreparation } from "../../tools/define-tool.ts"
import type { Tool, ToolContext, ToolResult } from "../../tools/tool.ts"
import type { AgentTask } from "./number-tasks.ts"
import { inOneLine, taskTree, type TaskList } from "./task-list.ts"

export function todoTool(): Tool {
  return defineTool<TodoInput>({
    name: "todo",
    description:
      "Keeps your task list, which the user sees. Use it for work of three or more steps. Give the whole list each time: " +
      "tasks that you leave out are removed. Have exactly one task in progress, and mark each one completed as soon as it is done.",
    class: "read",
    isReadOnly: true,
    inputSchema: toolInputSchemas.todo,
    check: checks.todo,
    resources: () => ["tasks"],
    prepare: async (input, context) => withoutPreparation(context, () => write(input, context)),
  })
}

async function write({ todos }: TodoInput, { tasks }: ToolContext): Promise<ToolResult> {
  if (tasks === undefined) return failed("This session has no task list.")
  const written = await tasks.write(todos.map(taskOf))
  return written.kind === "no" ? failed(written.reason) : { outcome: "done", output: summary(written.tasks) }
}

function taskOf({ content, status }: TodoInput["todos"][number]): AgentTask {
  return { text: inOneLine(content), status: status === "in_progress" ? "in-progress" : status }
}

/** The agent knows its own list; it may not know what people added. */
function summary(tasks: TaskList): string {
  const own = tasks.filter(({ isAgents }) => isAgents === true)
  const done = own.filter(({ status }) => status === "completed").length
  const others = tasks.filter(({ isAgents }) => isAgents !== true)
  const theirs =
    others.length === 0 ? "" : `\nTasks that the user added, which are not on your list:\n${taskTree(others)}`
  return `The list is stored: ${done} of ${own.length} completed.${theirs}`.trimEnd()
}
