// The report of `turnhouse prove visitor`: hostile frames by field.
import { proveVisitor, type FieldRow, type VisitorResult } from "../../app/prove/visitor/prove-visitor.ts"
import type { ProofOptions } from "../../app/prove/run-proof.ts"
import { table, type Columns } from "../output.ts"
import type { Report } from "./report.ts"

const columns: Columns<FieldRow> = {
  ACTION: ({ action }) => action,
  FIELD: ({ field }) => field,
  FRAMES: ({ frames }) => String(frames),
}

export async function prove(options: ProofOptions): Promise<Report> {
  return visitorReport(await proveVisitor(options))
}

function visitorReport({ rows, frames, ...result }: VisitorResult): Report {
  return {
    ...result,
    counted: { "hostile-frames": frames },
    facts: {},
    kinds: ["broken"],
    rows,
    table: table(rows, columns, ["FRAMES"]),
    extent: `${frames} hostile frames`,
  }
}
