// What a tool's result says about the problems that a language server reports. Pure and bounded.
import { oneLine, withoutEscapes } from "../../contract/text/text.ts"
import type { Problem } from "./problems.ts"

export interface CheckedFile {
  readonly displayPath: string
  readonly added: readonly Problem[]
  /** They were there before the change. */
  readonly remaining: readonly Problem[]
  /** Whether the problems before the change are known. */
  readonly isCompared: boolean
}

const MAX_ERRORS = 20
const MAX_WARNINGS = 5
const MAX_MESSAGE_LENGTH = 300
const MAX_PLACES = 10

interface Located extends Problem {
  readonly displayPath: string
}

/** Empty if there is nothing to say. `clean` removes secrets, before anything is cut. */
export function describeProblems(
  server: string,
  files: readonly CheckedFile[],
  clean: (text: string) => string,
): string {
  const added = files.flatMap(({ displayPath, added: list }) => list.map((problem) => ({ ...problem, displayPath })))
  const remaining = files.flatMap(({ displayPath, remaining: list }) =>
    list.map((problem) => ({ ...problem, displayPath })),
  )
  const isNew = files.every(({ isCompared }) => isCompared)
  return [...addedLines(server, added, isNew, clean), ...remainingLines(server, remaining)].join("\n")
}

function addedLines(
  server: string,
  problems: readonly Located[],
  isNew: boolean,
  clean: (text: string) => string,
): readonly string[] {
  const [errors, warnings] = [bySeverity(problems, "error"), bySeverity(problems, "warning")]
  const counts = [counted(errors.length, "error", isNew), counted(warnings.length, "warning", isNew)]
  const shown = [...errors.slice(0, MAX_ERRORS), ...warnings.slice(0, MAX_WARNINGS)]
  if (shown.length === 0) return []
  const omitted = problems.length - shown.length
  return [
    `[${server} reports ${counts.filter((text) => text !== "").join(" and ")} after this change:]`,
    ...shown.map((problem) => lineOf(problem, clean)),
    ...(omitted === 0 ? [] : [`[${omitted} more ${omitted === 1 ? "is" : "are"} not shown.]`]),
  ]
}

/** The errors of before, by their places: the model may have meant to fix them. */
function remainingLines(server: string, problems: readonly Located[]): readonly string[] {
  const errors = bySeverity(problems, "error")
  if (errors.length === 0) return []
  const places = errors.slice(0, MAX_PLACES).map(({ displayPath, line }) => `${displayPath}:${line}`)
  const more = errors.length > places.length ? ", …" : ""
  const count = errors.length === 1 ? "1 earlier error remains" : `${errors.length} earlier errors remain`
  return [`[${server}: ${count}: ${places.join(", ")}${more}]`]
}

function bySeverity(problems: readonly Located[], severity: Problem["severity"]): readonly Located[] {
  return problems.filter((problem) => problem.severity === severity)
}

function counted(count: number, noun: string, isNew: boolean): string {
  return count === 0 ? "" : `${count} ${isNew ? "new " : ""}${noun}${count === 1 ? "" : "s"}`
}

function lineOf(
  { displayPath, line, column, severity, message, origin }: Located,
  clean: (text: string) => string,
): string {
  const text = oneLine(withoutEscapes(clean(message)), MAX_MESSAGE_LENGTH)
  const from = oneLine(withoutEscapes(clean(origin)), MAX_MESSAGE_LENGTH)
  return `${displayPath}:${line}:${column}: ${severity}: ${text}${from === "" ? "" : ` (${from})`}`
}
