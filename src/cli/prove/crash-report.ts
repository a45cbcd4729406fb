// The report of `turnhouse prove crash`: kills by event and point.
import { proveCrash, type CrashResult } from "../../app/prove/crash/prove-crash.ts"
import { points, type Point, type TallyRow } from "../../app/prove/crash/tally.ts"
import type { ProofOptions } from "../../app/prove/run-proof.ts"
import { table, type Columns } from "../output.ts"
import type { Report } from "./report.ts"

const columns: readonly Point[] = ["written", "shown", "both", "writer", "effect", "random", "frozen"]
const NAME_WIDTH = 9

export async function prove(options: ProofOptions): Promise<Report> {
  return crashReport(await proveCrash(options))
}

function crashReport({ rows, kills, frozen, sessions, unknown, ...result }: CrashResult): Report {
  return {
    ...result,
    counted: { kills },
    facts: { frozen, sessions, unknown },
    rows: rows.map(({ event, counts }) => ({ event, points: counts })),
    table: `${killTable(rows)}\n${columns.map((point) => `${point.padEnd(NAME_WIDTH)}${points[point]}\n`).join("")}`,
    extent: `${kills} kills in ${sessions} conversations, ${frozen} hosts suspended, ${unknown} calls whose outcome is unknown`,
  }
}

function killTable(rows: readonly TallyRow[]): string {
  const titles = columns.map((point) => point.toUpperCase())
  const cells = columns.map((point) => {
    return [point.toUpperCase(), (row: TallyRow) => String(row.counts[point] ?? "")] as const
  })
  const shown: Columns<TallyRow> = { EVENT: ({ event }) => event, ...Object.fromEntries(cells) }
  return table(rows, shown, titles)
}
