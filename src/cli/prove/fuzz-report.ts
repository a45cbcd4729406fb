// The report of `turnhouse prove fuzz`: what each target was fed, and how much of its code that reached.
import { megabytes } from "../../app/prove/fuzz/engine/bounds.ts"
import { proveFuzz, type FuzzResult, type FuzzRow } from "../../app/prove/fuzz/prove-fuzz.ts"
import type { ProofOptions } from "../../app/prove/run-proof.ts"
import { table, type Columns } from "../output.ts"
import type { Report } from "./report.ts"

const columns: Columns<FuzzRow> = {
  TARGET: ({ target }) => target,
  FRAMES: ({ figures }) => String(figures.frames),
  "WELL-FORMED": ({ figures }) => percent(figures.wellFormed, figures.frames),
  "REAL PROCESSES": ({ real }) => String(real),
  BLOCKS: ({ figures }) => `${figures.covered} of ${figures.total}`,
  COVERED: ({ figures }) => percent(figures.covered, figures.total),
  "A SECOND": ({ figures, seconds }) => String(Math.round(figures.frames / seconds)),
  "STALL MS": ({ figures }) => String(Math.round(figures.stallMs)),
  "HEAP MB": ({ figures }) => String(megabytes(figures.heapBytes)),
  DESCRIPTORS: ({ figures }) => String(figures.descriptors),
}

const numbers = Object.keys(columns).slice(1)

export async function prove(options: ProofOptions): Promise<Report> {
  return fuzzReport(await proveFuzz(options))
}

function fuzzReport({ rows, frames, ...result }: FuzzResult): Report {
  const sum = (count: (row: FuzzRow) => number) => rows.reduce((total, row) => total + count(row), 0)
  const real = sum((row) => row.real)
  const wellFormed = sum(({ figures }) => figures.wellFormed)
  return {
    ...result,
    counted: { frames },
    kinds: ["broken"],
    facts: { real, wellFormed },
    rows: rows.map(({ figures, ...row }) => ({ ...row, ...figures, seconds: Math.round(row.seconds) })),
    table: table(rows, columns, numbers),
    extent: `${frames} frames, ${percent(wellFormed, frames)} of them well-formed; ${real} of them also through real processes`,
  }
}

function percent(part: number, whole: number): string {
  return `${whole === 0 ? 0 : Math.round((100 * part) / whole)}%`
}
