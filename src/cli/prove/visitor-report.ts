// The report of `turnhouse prove visitor`: hostile frames by field.
import { proveVisitor, type FieldRow, type VisitorResult } from "../../app/prove/visitor/prove-visitor.ts"
import { table, type Columns } from "../output.ts"
import type { ProofRun } from "./proofs.ts"
import type { Report } from "./report.ts"

const columns: Columns<FieldRow> = {
  ACTION: ({ action }) => action,
  FIELD: ({ field }) => field,
  FRAMES: ({ frames }) => String(frames),
}

export async function prove({ count, seed, signal, onProgress }: ProofRun): Promise<Report> {
  return visitorReport(await proveVisitor({ frames: count, seed, signal, onProgress }))
}

function visitorReport({ rows, frames, wanted, ...result }: VisitorResult): Report {
  return {
    ...result,
    counted: { "hostile-frames": frames },
    facts: {},
    kinds: ["broken"],
    rows,
    table: table(rows, columns, ["FRAMES"]),
    extent: `${frames} hostile frames`,
    command: `turnhouse prove visitor --seed ${result.seed} --hostile-frames ${wanted}`,
  }
}
