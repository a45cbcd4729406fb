// Work that the demo gives to other agents. A message that does so is taken as a whole: what the agents are to do is
// theirs to understand, word for word. One agent is waited for; several are started and then collected.
import type { Settled } from "../prompt.ts"
import { answer, call, noTool, notDone, shown, type Move } from "./move.ts"
import type { RequestOf, Stage } from "./request.ts"
import { withoutTrailing } from "../../../contract/trailing.ts"

const numbers = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight"]
const counts = `an|another|a second|some|${numbers.slice(1).join("|")}|\\d{1,2}`
const order = new RegExp(
  `^(?:please |can you |could you )*(?:ask|tell|have|let|get) (?<count>${counts})(?: other)? (?:sub-?)?agents?(?: to)? (?<task>[\\s\\S]+)$`,
  "i",
)
const delegate = /^(?:please )?delegate(?: this| these| the following)?:?\s(?<task>[\s\S]+)$/i

export function delegation(message: string): Stage | undefined {
  const said = message.trim()
  const ordered = order.exec(said)?.groups
  const tasks = tasksIn(ordered?.["task"] ?? delegate.exec(said)?.groups?.["task"] ?? "")
  const [only, ...others] = tasks
  if (only === undefined) return undefined
  const count = ordered === undefined ? tasks.length : countOf(ordered["count"] ?? "")
  if (count === 1 && ordered !== undefined) return [{ kind: "ask-agent", task: tasks.join("; ") }]
  if (others.length > 0) return tasks.map((task) => ({ kind: "delegate", task }))
  return Array.from({ length: count }, () => ({ kind: "delegate", task: only }))
}

/** Several are told apart by semicolons or lines, unless these are between backticks. */
function tasksIn(text: string): readonly string[] {
  const tasks = (text.match(/(?:`[^`]*`|[^;\n])+/g) ?? []).map((task) => withoutTrailing(task, ".!?").trim())
  return tasks.filter((task) => task !== "")
}

function countOf(word: string): number {
  const lower = word.toLowerCase()
  if (lower === "some") return 2
  const known = numbers.indexOf(lower)
  if (known > 0) return known
  return /^\d+$/.test(lower) ? Math.max(1, Number(lower)) : 1
}

export function askAgent(
  { task }: RequestOf<"ask-agent">,
  results: readonly Settled[],
  tools: ReadonlySet<string>,
): Move {
  const [result] = results
  if (result === undefined)
    return tools.has("subagent") ? call("subagent", { task }, "I ask an agent.") : noTool("subagent")
  if (result.status !== "done") return notDone("The agent had no answer", result)
  return answer(`The agent answered:${shown(withoutIntroduction(result.output))}`)
}

export function delegateTask(
  { task }: RequestOf<"delegate">,
  results: readonly Settled[],
  tools: ReadonlySet<string>,
): Move {
  const [started, collected] = results
  if (started === undefined)
    return tools.has("subagent_start")
      ? call("subagent_start", { task }, "I start an agent.")
      : noTool("subagent_start")
  const id = /\bAgent ([0-9a-f-]{36})\b/.exec(started.output)?.[1]
  if (started.status !== "done" || id === undefined) return notDone(`I could not start an agent for "${task}"`, started)
  if (collected === undefined) return call("subagent_collect", { id }, "I wait for its answer.")
  if (collected.status !== "done") return notDone(`The agent for "${task}" had no answer`, collected)
  return answer(`The agent for "${task}" answered:${shown(withoutIntroduction(collected.output))}`)
}

/** The demo has said once what it is; its agents say it again in theirs. */
function withoutIntroduction(output: string): string {
  return output.replace(/^No (?:model|provider) is configured[^\n]*offline demo[^\n]*\n\n/, "")
}
