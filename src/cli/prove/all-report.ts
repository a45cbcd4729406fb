// What `turnhouse prove all` prints: a row for each proof, and the totals.
import type { ViolationKind } from "../../app/prove/violation.ts"
import { styled } from "../../app/terminal.ts"
import { table, type Columns } from "../output.ts"
import { inWords } from "./proofs.ts"
import { commandOf, violationText } from "./report.ts"
import type { Progress, ProofRun } from "./run-all.ts"

interface Row {
  readonly proof: string
  readonly runs: number
  /** What was counted, in all runs. */
  readonly count: number
  readonly unit: string
  readonly violations: number
  readonly seconds: number
}

const columns: Columns<Row> = {
  PROOF: ({ proof }) => proof,
  RUNS: ({ runs }) => String(runs),
  COUNT: ({ count }) => String(count),
  "": ({ unit }) => inWords(unit),
  SECONDS: ({ seconds }) => String(seconds),
  VIOLATIONS: ({ violations }) => String(violations),
}

const kinds: readonly ViolationKind[] = ["lost", "doubled", "broken", "leaked"]

export function allProgress(seconds: number, seed: number): (at: Progress) => string {
  const startedAt = performance.now()
  return ({ proof, count, done, round }) => {
    const spent = ((performance.now() - startedAt) / 1000).toFixed(0)
    return `prove all: ${proof.name} ${done} of ${count} ${inWords(proof.unit)}, round ${round}, 0 violations, ${spent} of ${seconds} s, seed ${seed}`
  }
}

export function printedAll(runs: readonly ProofRun[], seed: number, asJson: boolean): string {
  const rows = rowsOf(runs)
  const violations = runs.flatMap(({ report }) => report.violations)
  const counts = kinds.map((kind) => [kind, violations.filter((one) => one.kind === kind).length] as const)
  const seconds = Math.round(runs.reduce((sum, run) => sum + run.seconds, 0))
  const totals = { proofs: rows.length, runs: runs.length, seconds, seed, ...Object.fromEntries(counts) }
  if (asJson)
    return [...runs.map(runLine), ...rows, ...violations, totals].map((line) => `${JSON.stringify(line)}\n`).join("")
  const verdict = counts.map(([kind, count]) => `${count} ${kind}`).join(", ")
  return [
    `${table(rows, columns, ["RUNS", "COUNT", "SECONDS", "VIOLATIONS"])}\n`,
    ...violations.map(violationText),
    `${rows.length} proofs, ${runs.length} runs\n`,
    `${styled(violations.length === 0 ? "green" : "red", verdict, process.stdout)} · seed ${seed}, ${seconds} s\n`,
  ].join("")
}

function runLine({ proof, seed, count, seconds, report }: ProofRun): object {
  const command = commandOf(proof, { seed, count }, report)
  return { command, ...report.counted, violations: report.violations.length, seconds: Math.round(seconds) }
}

function rowsOf(runs: readonly ProofRun[]): readonly Row[] {
  return [...Map.groupBy(runs, ({ proof }) => proof)].map(([{ name, unit }, own]) => ({
    proof: name,
    runs: own.length,
    count: own.reduce((sum, { report }) => sum + (Object.values(report.counted)[0] ?? 0), 0),
    unit,
    violations: own.reduce((sum, { report }) => sum + report.violations.length, 0),
    seconds: Math.round(own.reduce((sum, { seconds }) => sum + seconds, 0)),
  }))
}
