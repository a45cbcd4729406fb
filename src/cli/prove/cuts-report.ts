// The report of `turnhouse prove cuts`: cuts by client and frame.
import type { CutRow } from "../../app/prove/cuts/cut-tally.ts"
import { proveCuts, type CutsResult } from "../../app/prove/cuts/prove-cuts.ts"
import type { ProofOptions } from "../../app/prove/run-proof.ts"
import { table, type Columns } from "../output.ts"
import type { Report } from "./report.ts"

const columns: Columns<CutRow> = {
  CLIENT: ({ client }) => client,
  "AFTER THE FRAME": ({ frame }) => frame,
  CUTS: ({ cuts }) => String(cuts),
}

export async function prove(options: ProofOptions): Promise<Report> {
  return cutsReport(await proveCuts(options))
}

function cutsReport({ rows, cuts, conversations, ...result }: CutsResult): Report {
  return {
    ...result,
    counted: { cuts },
    facts: { conversations },
    rows,
    table: table(rows, columns, ["CUTS"]),
    extent: `${cuts} cuts in ${conversations} conversations`,
  }
}
