// The report of `turnhouse prove locks`: histories by what was played and with which processes.
import type { LocksRow } from "../../app/prove/locks/locks-tally.ts"
import { proveLocks, type LocksResult } from "../../app/prove/locks/prove-locks.ts"
import type { ProofOptions } from "../../app/prove/run-proof.ts"
import { table, type Columns } from "../output.ts"
import type { Report } from "./report.ts"

const columns: Columns<LocksRow> = {
  PLAYED: ({ played }) => played,
  HISTORIES: ({ histories }) => String(histories),
  OPERATIONS: ({ operations }) => String(operations),
  FREEZES: ({ freezes }) => String(freezes),
  KILLS: ({ kills }) => String(kills),
  "CLOCK SET": ({ jumps }) => String(jumps),
  FENCED: ({ fenced }) => String(fenced),
}

export async function prove(options: ProofOptions): Promise<Report> {
  return locksReport(await proveLocks(options))
}

function locksReport({ rows, histories, ...result }: LocksResult): Report {
  const operations = rows.reduce((sum, row) => sum + row.operations, 0)
  return {
    ...result,
    counted: { histories },
    facts: { operations },
    rows,
    table: table(rows, columns, ["HISTORIES", "OPERATIONS", "FREEZES", "KILLS", "CLOCK SET", "FENCED"]),
    extent: `${histories} histories with ${operations} operations`,
  }
}
