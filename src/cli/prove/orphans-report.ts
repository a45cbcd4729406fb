// The report of `turnhouse prove orphans`: what ran when hosts were killed, by what had started it.
import { proveOrphans, type OrphansResult } from "../../app/prove/orphans/prove-orphans.ts"
import { points, starters, type OrphanRow } from "../../app/prove/orphans/orphan-tally.ts"
import type { ProofOptions } from "../../app/prove/run-proof.ts"
import { table, type Columns } from "../output.ts"
import type { Report } from "./report.ts"

export async function prove(options: ProofOptions): Promise<Report> {
  return orphansReport(await proveOrphans(options))
}

function orphansReport(result: OrphansResult): Report {
  const { runs, processes, sandboxed, slowestMs, byPoint, noSandbox, rows, ...common } = result
  const escaped = rows.reduce((sum, row) => sum + row.escaped, 0)
  const pointText = Object.entries(points).map(([point, text]) => `${point.padEnd(9)}${text}\n`)
  const escapes = escaped === 0 ? "" : "Without a sandbox, what clears its environment in a new session escapes.\n"
  const missing = noSandbox === undefined ? "" : `No run had a sandbox: ${noSandbox}.\n`
  return {
    ...common,
    counted: { runs },
    kinds: ["broken"],
    facts: { processes, sandboxed, escaped, slowestMs: Math.round(slowestMs), ...byPoint },
    rows,
    table: `${orphanTable(rows)}\n${pointText.join("")}${escapes}${missing}`,
    extent: `${runs} hosts killed with ${processes} processes, ${sandboxed} hosts with a sandbox; the last process ended ${(slowestMs / 1000).toFixed(1)} s after the kill at most; ${escaped} escaped as documented`,
  }
}

function orphanTable(rows: readonly OrphanRow[]): string {
  const titles = starters.map((starter) => starter.toUpperCase())
  const cells = starters.map(
    (starter) => [starter.toUpperCase(), ({ counts }: OrphanRow) => String(counts[starter] ?? "")] as const,
  )
  const columns: Columns<OrphanRow> = {
    "A PROCESS THAT": ({ behaviour }) => behaviour,
    SANDBOX: ({ sandbox }) => (sandbox ? "yes" : "no"),
    ...Object.fromEntries(cells),
    ESCAPED: ({ escaped }) => String(escaped),
  }
  return table(rows, columns, [...titles, "ESCAPED"])
}
