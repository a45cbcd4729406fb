// What the demo does for a phrase. A job goes from the results of its calls so far to the next call, or to the answer.
// Only offered tools are called; a failed call is reported with the output of the tool.
import type { JsonValue } from "../../../contract/values.ts"
import type { Settled } from "../prompt.ts"

export function reply(text: string): Job {
  return () => answer(text)
}

export function listFolder(): Job {
  return oneCall("ls", {}, "I list what is in this folder.", "I could not list this folder", (output) => {
    return `This is in this folder:${excerpt(output)}`
  })
}

export function readFile(path: string): Job {
  const failure = `I could not read ${path}`
  return oneCall("read", { path }, `I read ${path}.`, failure, (output) => openingOfFile(path, output))
}

export function reportFieldFromFile(path: string, key: string): Job {
  const failure = `I could not read ${path}`
  return oneCall("read", { path }, `I read ${path}.`, failure, (output) => answerFromFile(path, key, output))
}

export function runCommand(command: string): Job {
  const failure = `The command \`${command}\` was not successful`
  return oneCall("bash", { command }, `I run "${command}".`, failure, (output) => {
    if (/^(?:\(no output\))?$/.test(output.trim())) return `I ran \`${command}\`; it printed nothing.`
    return `I ran \`${command}\`. It printed:${excerpt(output)}`
  })
}

export function callTool(tool: string, input: JsonValue): Job {
  return oneCall(tool, input, `I call ${tool}.`, `The tool ${tool} was not successful`, (output) => {
    return `The tool ${tool} answered:${excerpt(output)}`
  })
}

export function askAgent(task: string): Job {
  return oneCall("subagent", { task }, "I ask an agent.", "The agent had no answer", (output) => {
    return `The agent answered:${excerpt(withoutIntroduction(output))}`
  })
}

/** One of several agents that work side by side: started, then collected. */
export function startAgent(task: string): Job {
  const start = oneCall("subagent_start", { task }, "I start an agent.", `I could not start an agent for "${task}"`)
  return (results, tools) => {
    const [started, collected] = results
    const id = /\bAgent ([0-9a-f-]{36})\b/.exec(started?.output ?? "")?.[1]
    if (started?.status !== "done" || id === undefined) return start(results, tools)
    if (collected === undefined) return call("subagent_collect", { id }, "I wait for its answer.")
    if (collected.status !== "done") return notDone(`The agent for "${task}" had no answer`, collected)
    return answer(`The agent for "${task}" answered:${excerpt(withoutIntroduction(collected.output))}`)
  }
}

/** The write tool wants a file that exists read first, also after a restart; it gets that once. */
export function writeTextFile(path: string, text: string): Job {
  const write = call("write", { path, content: `${text}\n` }, `I write ${path}.`)
  return (results, tools) => {
    const [first, read, second] = results
    if (first === undefined) return tools.has("write") ? write : noTool("write")
    const wantsRead = first.status !== "done" && /\bread it (?:again )?first\b/i.test(first.output)
    const last = wantsRead ? second : first
    if (last?.status === "done") return answer(wantsRead ? `I replaced what was in ${path}.` : `I wrote ${path}.`)
    if (last !== undefined) return notDone(`I did not write ${path}`, last)
    if (read === undefined) return tools.has("read") ? call("read", { path }, `I read ${path} first.`) : noTool("read")
    return read.status === "done" ? write : notDone(`I did not write ${path}, because I could not read it`, read)
  }
}

function oneCall(
  tool: string,
  input: JsonValue,
  reasoning: string,
  failure: string,
  success: (output: string) => string = (output) => output,
): Job {
  return ([result], tools) => {
    if (result === undefined) return tools.has(tool) ? call(tool, input, reasoning) : noTool(tool)
    return result.status === "done" ? answer(success(result.output)) : notDone(failure, result)
  }
}

/** The demo has introduced itself once; its agents do so again in their answers. */
function withoutIntroduction(output: string): string {
  return output.replace(/^This is Turnhouse's offline demo[^\n]*\n\n/, "")
}

const FIRST_LINES = 10
const NUMBERED = /^ *\d+\t/

function openingOfFile(path: string, output: string): string {
  const lines = linesOf(output)
  const isWhole = lines.length === output.trimEnd().split("\n").length
  if (lines.length === 0) return output
  const extent = isWhole ? `${lines.length} ${lines.length === 1 ? "line" : "lines"}` : "more lines than I was shown"
  if (lines.length <= FIRST_LINES) return `${path} has ${extent}:${excerpt(lines.join("\n"))}`
  return `${path} has ${extent}. It begins with:${excerpt(lines.slice(0, FIRST_LINES).join("\n"))}`
}

function answerFromFile(path: string, key: string, output: string): string {
  const lines = linesOf(output)
  const value = memberAt(lines.join("\n"), key.split("."))
  if (typeof value === "object" && value !== null)
    return `In ${path}, ${key} is:${excerpt(JSON.stringify(value, undefined, 2))}`
  if (value !== undefined) return `In ${path}, ${key} is ${JSON.stringify(value)}.`
  const found = lines.filter((line) => line.toLowerCase().includes(key.toLowerCase()))
  if (found.length === 0) return `I read ${path} and found no "${key}" in it.`
  return `In ${path}, "${key}" appears here:${excerpt(found.join("\n"))}`
}

/** The read tool numbers the lines of a file; its own notices have no number. */
function linesOf(output: string): readonly string[] {
  const lines = output.split("\n").filter((line) => NUMBERED.test(line))
  return lines.map((line) => line.replace(NUMBERED, ""))
}

function memberAt(text: string, keys: readonly string[]): unknown {
  try {
    return keys.reduce<unknown>(
      (value, key) => (Object.hasOwn(Object(value), key) ? Reflect.get(Object(value), key) : undefined),
      JSON.parse(text),
    )
  } catch {
    return undefined // not JSON
  }
}

export type JobStep = CallStep | AnswerStep
export type Job = (results: readonly Settled[], tools: ReadonlySet<string>) => JobStep

export interface CallStep {
  readonly kind: "call"
  readonly tool: string
  readonly input: JsonValue
  readonly reasoning: string
}

interface AnswerStep {
  readonly kind: "answer"
  readonly text: string
}

const shownLines = 20
const shownColumns = 160

function call(tool: string, input: JsonValue, reasoning: string): CallStep {
  return { kind: "call", tool, input, reasoning }
}

function answer(text: string): AnswerStep {
  return { kind: "answer", text }
}

function noTool(tool: string): AnswerStep {
  return answer(`I cannot do that here: the tool ${tool} is not available to me in this session.`)
}

function notDone(task: string, { status, output }: Settled): AnswerStep {
  const detail = output.trim()
  if (status === "denied") return answer(`${task}: it was not allowed.${detail === "" ? "" : excerpt(detail)}`)
  return answer(`${task}.${detail === "" ? " I was given no reason." : ` The tool reported:${excerpt(detail)}`}`)
}

/** Output as a block of its own, bounded; what is left out is counted. */
function excerpt(output: string): string {
  const lines = output.replace(/^\n+/, "").trimEnd().split("\n")
  const firstLines = lines
    .slice(0, shownLines)
    .map((line) => (line.length > shownColumns ? `${line.slice(0, shownColumns)}…` : line))
  const more = lines.length > firstLines.length ? `\n… and ${lines.length - firstLines.length} more lines` : ""
  const fence = firstLines.some((line) => line.startsWith("```")) ? "````" : "```"
  return `\n\n${fence}\n${firstLines.join("\n")}\n${fence}${more}`
}
