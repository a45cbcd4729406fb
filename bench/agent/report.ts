// The report of a run as text.
import type { TaskReport } from "./run-tasks.ts"

export const heading = row("TASK", "RESULT", "STEPS", "TOOLS", "IN", "CACHED", "OUT", "COST", "TIME")

export function lineOf(report: TaskReport): string {
  const { task, problem, steps, tools, tokensIn, cacheRead, tokensOut, costUsd, seconds, folder } = report
  const numbers = [steps, tools, tokensIn, cacheRead, tokensOut].map((number) => number.toLocaleString("en"))
  const result = problem === undefined ? "passed" : "failed"
  const line = row(task, result, ...numbers, `$${costUsd.toFixed(4)}`, `${seconds.toFixed(1)} s`)
  const details = [
    ...(problem === undefined ? [] : [problem, ...lastError(report)]),
    ...(folder === undefined ? [] : [folder]),
  ]
  return [line, ...details.map((text) => `    ${text}`)].join("\n")
}

export function summaryOf(reports: readonly TaskReport[]): string {
  const total = (pick: (report: TaskReport) => number) => reports.reduce((sum, report) => sum + pick(report), 0)
  const passed = reports.filter(({ problem }) => problem === undefined).length
  const tokensIn = total((report) => report.tokensIn)
  const cached = tokensIn === 0 ? 0 : total((report) => report.cacheRead) / tokensIn
  return [
    `${passed} of ${reports.length} passed`,
    `${total((report) => report.steps)} steps`,
    `${tokensIn.toLocaleString("en")} tokens in (${Math.round(cached * 100)} % cached)`,
    `${total((report) => report.tokensOut).toLocaleString("en")} out`,
    `$${total((report) => report.costUsd).toFixed(2)}`,
  ].join(" · ")
}

function lastError({ errors }: TaskReport): string[] {
  return errors
    .trim()
    .split("\n")
    .slice(-1)
    .filter((line) => line !== "")
}

function row(task: string, result: string, ...numbers: readonly string[]): string {
  return [task.padEnd(20), result.padEnd(7), ...numbers.map((text) => text.padStart(8))].join(" ")
}
