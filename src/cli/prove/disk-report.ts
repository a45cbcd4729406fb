// The report of `turnhouse prove disk`: faults of the disk and damage to the log, and what followed.
import { outcomes, type DiskRow, type Outcome } from "../../app/prove/disk/disk-tally.ts"
import type { LeftOut } from "../../app/prove/disk/faults/fault-tools.ts"
import { faultKinds, faultTexts } from "../../app/prove/disk/faults/rig.ts"
import { proveDisk, type DiskResult } from "../../app/prove/disk/prove-disk.ts"
import type { ProofOptions } from "../../app/prove/run-proof.ts"
import { table, type Columns } from "../output.ts"
import type { Report } from "./report.ts"

const columns = ["continued", "killed", "whole", "shorter", "named"] as const satisfies readonly Outcome[]
const NAME_WIDTH = 11

export async function prove(options: ProofOptions): Promise<Report> {
  return diskReport(await proveDisk(options))
}

function diskReport(result: DiskResult): Report {
  const { trials, faults, conversations, refused, cutOff, copies, places, cuts, processes, rows, leftOut, ...common } =
    result
  return {
    ...common,
    counted: { trials },
    facts: { faults, conversations, refused, cutOff, copies, places, cuts, processes },
    rows: [...rows.map(({ what, counts }) => ({ what, ...counts })), ...leftOut],
    table: `${diskTable(rows)}\n${legend()}${leftOut.map(leftOutText).join("")}`,
    extent:
      `${faults} faults of hosts in ${conversations} conversations, ${refused} commands refused, ${cutOff} unsynced bytes cut off; ` +
      `${copies} damaged copies of a log, cut at ${cuts} of ${places} bytes, ${processes} of them read by 'turnhouse verify' and 'log'`,
  }
}

function diskTable(rows: readonly DiskRow[]): string {
  const titles = columns.map((column) => column.toUpperCase())
  const cells = columns.map((column) => {
    return [column.toUpperCase(), ({ counts }: DiskRow) => String(counts[column] ?? "")] as const
  })
  const shown: Columns<DiskRow> = { DISK: ({ what }) => what, ...Object.fromEntries(cells) }
  return table(rows, shown, titles)
}

function legend(): string {
  const kinds = faultKinds.map((kind) => `${kind.padEnd(NAME_WIDTH)}${faultTexts[kind]}\n`)
  return [...kinds, ...columns.map((column) => `${column.padEnd(NAME_WIDTH)}${outcomes[column]}\n`)].join("")
}

function leftOutText({ leftOut, why }: LeftOut): string {
  return `Left out: ${leftOut.join(", ")}: ${why}\n`
}
