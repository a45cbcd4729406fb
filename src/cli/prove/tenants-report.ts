// The report of `turnhouse prove tenants`: requests by action and by whose ids they had.
import { proveTenants, type TenantRow, type TenantsResult } from "../../app/prove/tenants/prove-tenants.ts"
import type { ProofOptions } from "../../app/prove/run-proof.ts"
import { table, type Columns } from "../output.ts"
import type { Report } from "./report.ts"

const columns: Columns<TenantRow> = {
  API: ({ door }) => door,
  ACTION: ({ action }) => action,
  OWN: ({ counts }) => String(counts.own ?? 0),
  OTHER: ({ counts }) => String(counts.other ?? 0),
  NONE: ({ counts }) => String(counts.none ?? 0),
}

export async function prove(options: ProofOptions): Promise<Report> {
  return tenantsReport(await proveTenants(options))
}

function tenantsReport({ rows, requests, ...result }: TenantsResult): Report {
  return {
    ...result,
    counted: { requests },
    facts: {},
    kinds: ["leaked", "broken"],
    rows: rows.map(({ counts, ...row }) => ({ ...row, ...counts })),
    table: table(rows, columns, ["OWN", "OTHER", "NONE"]),
    extent: `${requests} requests with ids of objects of the own organisation, of the other one, and of objects that do not exist`,
  }
}
