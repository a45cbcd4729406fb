// The report of `turnhouse prove cuts`: cuts by client and frame.
import type { CutRow, CutsResult } from "../../app/prove/cuts/prove-cuts.ts"
import { table, type Columns } from "../output.ts"
import type { Report } from "./report.ts"

const columns: Columns<CutRow> = {
  CLIENT: ({ client }) => client,
  "AFTER THE FRAME": ({ frame }) => frame,
  CUTS: ({ cuts }) => String(cuts),
}

export function cutsReport({ rows, cuts, conversations, wanted, ...result }: CutsResult): Report {
  return {
    ...result,
    counted: { cuts },
    facts: { conversations },
    rows,
    table: table(rows, columns, ["CUTS"]),
    extent: `${cuts} cuts in ${conversations} conversations`,
    command: `turnhouse prove cuts --seed ${result.seed} --cuts ${wanted}`,
  }
}
