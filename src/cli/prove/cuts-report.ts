// The report of `turnhouse prove cuts`: cuts by client and frame.
import { proveCuts, type CutRow, type CutsResult } from "../../app/prove/cuts/prove-cuts.ts"
import { table, type Columns } from "../output.ts"
import type { ProofRun } from "./proofs.ts"
import type { Report } from "./report.ts"

const columns: Columns<CutRow> = {
  CLIENT: ({ client }) => client,
  "AFTER THE FRAME": ({ frame }) => frame,
  CUTS: ({ cuts }) => String(cuts),
}

export async function prove({ count, seed, signal, onProgress }: ProofRun): Promise<Report> {
  const cuts = { cuts: count, seed, signal, onProgress: (now: { readonly cuts: number }) => onProgress(now.cuts) }
  return cutsReport(await proveCuts(cuts))
}

function cutsReport({ rows, cuts, conversations, wanted, ...result }: CutsResult): Report {
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
