// Problems that a language server reports in a file, read without trust: what has the wrong form is left out. Pure.
import { memberIn, textIn } from "../../contract/json-object.ts"
import type { JsonValue } from "../../contract/values.ts"

export interface Problem {
  readonly severity: "error" | "warning"
  /** From 1; columns count UTF-16 units. */
  readonly line: number
  readonly column: number
  readonly message: string
  /** Source and code, for example "ts 2322"; empty if the server names none. */
  readonly origin: string
}

/** Problems of one file that are read. Further ones are ignored. */
const MAX_PROBLEMS = 1000
/** Characters of a message that are read; far fewer are shown. */
const MAX_MESSAGE_LENGTH = 10_000
const MAX_ORIGIN_LENGTH = 60

/** Errors and warnings of a list of LSP diagnostics, in the order of the file. */
export function problemsIn(diagnostics: JsonValue | undefined): readonly Problem[] {
  const list: readonly JsonValue[] = Array.isArray(diagnostics) ? diagnostics : []
  return list
    .slice(0, MAX_PROBLEMS)
    .flatMap(problemIn)
    .toSorted((one, other) => one.line - other.line || one.column - other.column)
}

function problemIn(diagnostic: JsonValue): readonly Problem[] {
  const severity = severityIn(memberIn(diagnostic, "severity"))
  const start = memberIn(memberIn(diagnostic, "range"), "start")
  const [line, column] = [memberIn(start, "line"), memberIn(start, "character")]
  const message = textIn(diagnostic, "message") ?? textIn(memberIn(diagnostic, "message"), "value")
  if (severity === undefined || message === undefined || typeof line !== "number" || typeof column !== "number")
    return []
  const text = message.slice(0, MAX_MESSAGE_LENGTH)
  return [{ severity, line: line + 1, column: column + 1, message: text, origin: originIn(diagnostic) }]
}

/** Without a severity the client decides. Hints and information are left out. */
function severityIn(value: JsonValue | undefined): Problem["severity"] | undefined {
  if (value === undefined || value === 1) return "error"
  return value === 2 ? "warning" : undefined
}

function originIn(diagnostic: JsonValue): string {
  const parts = [memberIn(diagnostic, "source"), memberIn(diagnostic, "code")]
  const texts = parts.filter((part) => typeof part === "string" || typeof part === "number")
  return texts.join(" ").slice(0, MAX_ORIGIN_LENGTH)
}

/** How often each problem occurs. Lines move with an edit, so a problem is recognised by the text of its line. */
export type ProblemCounts = ReadonlyMap<string, number>

export function countProblems(problems: readonly Problem[], text: string): ProblemCounts {
  const lines = text.split("\n")
  const counts = new Map<string, number>()
  for (const problem of problems) {
    const key = keyOf(problem, lines)
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return counts
}

export interface ComparedProblems {
  readonly added: readonly Problem[]
  readonly remaining: readonly Problem[]
}

/** Without earlier counts all problems count as added. */
export function compareProblems(
  problems: readonly Problem[],
  text: string,
  earlier: ProblemCounts | undefined,
): ComparedProblems {
  const lines = text.split("\n")
  const left = new Map(earlier)
  const added: Problem[] = []
  const remaining: Problem[] = []
  for (const problem of problems) {
    const key = keyOf(problem, lines)
    const count = left.get(key) ?? 0
    left.set(key, count - 1)
    ;(count > 0 ? remaining : added).push(problem)
  }
  return { added, remaining }
}

function keyOf({ severity, message, origin, line }: Problem, lines: readonly string[]): string {
  return JSON.stringify([severity, origin, message, lines[line - 1]?.trim()])
}
