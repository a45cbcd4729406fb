// The next step of a job: a tool call with the reasoning shown before it, or the answer.
import type { JsonValue } from "../../../contract/values.ts"
import type { Settled } from "../prompt.ts"

export type Move = CallMove | AnswerMove
export type Job = (results: readonly Settled[], tools: ReadonlySet<string>) => Move

export interface CallMove {
  readonly kind: "call"
  readonly tool: string
  readonly input: JsonValue
  readonly thought: string
}

export interface AnswerMove {
  readonly kind: "answer"
  readonly text: string
}

const shownLines = 20
const shownColumns = 160

export function call(tool: string, input: JsonValue, thought: string): CallMove {
  return { kind: "call", tool, input, thought }
}

export function answer(text: string): AnswerMove {
  return { kind: "answer", text }
}

export function noTool(tool: string): AnswerMove {
  return answer(`I cannot do that here: the tool ${tool} is not available to me in this session.`)
}

export function notDone(what: string, { status, output }: Settled): AnswerMove {
  const said = output.trim()
  if (status === "denied") return answer(`${what}: it was not allowed.${said === "" ? "" : shown(said)}`)
  return answer(`${what}.${said === "" ? " I was given no reason." : ` The tool reported:${shown(said)}`}`)
}

/** Output as a block of its own, bounded; what is left out is counted. */
export function shown(output: string): string {
  const lines = output.replace(/^\n+/, "").trimEnd().split("\n")
  const kept = lines
    .slice(0, shownLines)
    .map((line) => (line.length > shownColumns ? `${line.slice(0, shownColumns)}…` : line))
  const more = lines.length > kept.length ? `\n… and ${lines.length - kept.length} more lines` : ""
  const fence = kept.some((line) => line.startsWith("```")) ? "````" : "```"
  return `\n\n${fence}\n${kept.join("\n")}\n${fence}${more}`
}
