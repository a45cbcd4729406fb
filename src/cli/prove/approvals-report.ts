// The report of `turnhouse prove approvals`: answers by door, and how agents tried to answer.
import type { AnswerRow } from "../../app/prove/approvals/answer-tally.ts"
import { proveApprovals, type ApprovalsResult } from "../../app/prove/approvals/prove-approvals.ts"
import type { WayRow } from "../../app/prove/approvals/self-approval.ts"
import type { ProofOptions } from "../../app/prove/run-proof.ts"
import { table, type Columns } from "../output.ts"
import type { Report } from "./report.ts"

const doorColumns: Columns<AnswerRow> = {
  DOOR: ({ door }) => door,
  ANSWERS: ({ answers }) => String(answers),
  DECIDED: ({ decided }) => String(decided),
}

const wayColumns: Columns<WayRow> = {
  "AN AGENT TRIED": ({ way }) => way,
  SANDBOX: ({ sandbox }) => (sandbox ? "yes" : "no"),
  TRIES: ({ tries }) => String(tries),
}

export async function prove(options: ProofOptions): Promise<Report> {
  return approvalsReport(await proveApprovals(options))
}

function approvalsReport(result: ApprovalsResult): Report {
  const { answers, approvals, kills, raced, changed, rows, ways, ...common } = result
  const tries = ways.reduce((sum, way) => sum + way.tries, 0)
  return {
    ...common,
    counted: { answers },
    facts: { approvals, kills, raced, changed, tries },
    rows: [...rows, ...ways],
    table: `${table(rows, doorColumns, ["ANSWERS", "DECIDED"])}\n${table(ways, wayColumns, ["TRIES"])}`,
    extent: `${answers} answers to ${approvals} requests, ${changed} of them for other arguments; ${kills} hosts killed, ${raced} with answers under way; agents tried ${tries} times to answer their own request`,
  }
}
