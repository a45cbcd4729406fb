// `task:add <text> [--priority high] [--under N]`: the options may stand anywhere among the words of the text.
import type { JsonValue, TaskPriority } from "../../contract/values.ts"
import { readScene } from "../../projection/session-snapshot.ts"
import { numberOf, tooLong, wrongUsage } from "../arguments.ts"
import { done, failed, send, type SlashCall, type SlashStep } from "../command.ts"
import { taskLine } from "./task-lines.ts"

export function addTask(call: SlashCall): SlashStep {
  const read = readNewTask(call.args)
  if (read === undefined) return wrongUsage(call)
  const { text, priority, parent } = read
  if (parent !== undefined && parent > call.view.tasks.length) return failed(`There is no task ${parent}`)
  const wish = { ...(priority === undefined ? {} : { priority }), ...(parent === undefined ? {} : { parent }) }
  return tooLong("The text", text) ?? send([{ type: "add-task", text, ...wish }], added(call, text))
}

/** Its number is known once it is there: others may add theirs at the same time. */
function added({ view: { sessionId } }: SlashCall, text: string): SlashStep {
  const next = (value: JsonValue) => {
    const task = readScene(value)?.tasks.findLast((other) => other.text === text)
    return done("task_added", task === undefined ? text : taskLine(task))
  }
  return { kind: "ask", query: { type: "scene", sessionId, turns: 1 }, next, refused: () => done("task_added", text) }
}

interface NewTask {
  readonly text: string
  readonly priority: TaskPriority | undefined
  readonly parent: number | undefined
}

function readNewTask(args: readonly string[]): NewTask | undefined {
  const words: string[] = []
  let [priority, parent]: [TaskPriority | undefined, number | undefined] = [undefined, undefined]
  for (let index = 0; index < args.length; index++) {
    const word = args[index] ?? ""
    if (word !== "--priority" && word !== "--under") {
      words.push(word)
      continue
    }
    index += 1
    if (word === "--priority") priority = priorityOf(args[index])
    else parent = numberOf(args[index])
    if ((word === "--priority" ? priority : parent) === undefined) return undefined
  }
  const text = words.join(" ").trim()
  return text === "" ? undefined : { text, priority, parent }
}

const priorities: readonly TaskPriority[] = ["urgent", "high", "normal", "low"]

function priorityOf(word: string | undefined): TaskPriority | undefined {
  return priorities.find((priority) => priority === word)
}
