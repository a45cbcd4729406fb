// The report of `turnhouse prove tenants`: requests by action and by whose ids they had.
import { proveTenants, type TenantRow, type TenantsResult } from "../../app/prove/tenants/prove-tenants.ts"
import { table, type Columns } from "../output.ts"
import type { ProofRun } from "./proofs.ts"
import type { Report } from "./report.ts"

const columns: Columns<TenantRow> = {
  API: ({ door }) => door,
  ACTION: ({ action }) => action,
  OWN: ({ counts }) => String(counts.own ?? 0),
  OTHER: ({ counts }) => String(counts.other ?? 0),
  NONE: ({ counts }) => String(counts.none ?? 0),
}

export async function prove({ count, seed, signal, onProgress }: ProofRun): Promise<Report> {
  return tenantsReport(await proveTenants({ requests: count, seed, signal, onProgress }))
}

function tenantsReport({ rows, requests, wanted, ...result }: TenantsResult): Report {
  return {
    ...result,
    counted: { requests },
    facts: {},
    kinds: ["leaked", "broken"],
    rows: rows.map(({ counts, ...row }) => ({ ...row, ...counts })),
    table: table(rows, columns, ["OWN", "OTHER", "NONE"]),
    extent: `${requests} requests with ids of the own organisation, of the other one, and of nothing`,
    command: `turnhouse prove tenants --seed ${result.seed} --requests ${wanted}`,
  }
}
