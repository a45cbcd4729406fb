// The report of `turnhouse prove crash`: kills by event and point.
import { proveCrash, type CrashResult } from "../../app/prove/crash/prove-crash.ts"
import { isImpossible, points, type Point, type TallyRow } from "../../app/prove/crash/tally.ts"
import type { ProofOptions } from "../../app/prove/run-proof.ts"
import { table, type Columns } from "../output.ts"
import type { Report } from "./report.ts"

const columns: readonly Point[] = [
  "written",
  "shown",
  "both",
  "writer",
  "effect",
  "random",
  "closing",
  "handover",
  "migrating",
  "frozen",
]
const NAME_WIDTH = 11

export async function prove(options: ProofOptions): Promise<Report> {
  return crashReport(await proveCrash(options))
}

function crashReport({ rows, kills, frozen, sessions, unknown, ...result }: CrashResult): Report {
  const cells = cellsOf(rows)
  return {
    ...result,
    counted: { kills },
    facts: { frozen, sessions, unknown, ...cells },
    rows: rows.map(({ event, counts }) => ({ event, points: counts })),
    table: `${killTable(rows)}\n${columns.map((point) => `${point.padEnd(NAME_WIDTH)}${points[point]}\n`).join("")}`,
    extent: `${kills} kills in ${sessions} conversations, ${frozen} hosts suspended, ${unknown} calls whose outcome is unknown; ${cells.reached} of ${cells.possible} cells reached`,
  }
}

function killTable(rows: readonly TallyRow[]): string {
  const titles = columns.map((point) => point.toUpperCase())
  const cells = columns.map((point) => {
    return [point.toUpperCase(), (row: TallyRow) => cellText(row, point)] as const
  })
  const shown: Columns<TallyRow> = { EVENT: ({ event }) => event, ...Object.fromEntries(cells) }
  return table(rows, shown, titles)
}

/** A dash where no kill can be. */
function cellText({ event, counts }: TallyRow, point: Point): string {
  return String(counts[point] ?? (isImpossible(event, point) ? "–" : ""))
}

/** Of the table: how many there are in which a kill can be, and in how many one was. */
function cellsOf(rows: readonly TallyRow[]) {
  const cells = rows.flatMap(({ event, counts }) => {
    return columns.flatMap((point) => {
      const isReached = counts[point] !== undefined
      return isReached || !isImpossible(event, point) ? [isReached] : []
    })
  })
  return { possible: cells.length, reached: cells.filter(Boolean).length }
}
