// The report of `turnhouse prove secrets`: planted secrets by source and spelling, and what was searched.
import type { ProofOptions } from "../../app/prove/run-proof.ts"
import { proveSecrets, type SecretsResult } from "../../app/prove/secrets/prove-secrets.ts"
import type { SinkRow } from "../../app/prove/secrets/sinks.ts"
import { spellingNames } from "../../app/prove/secrets/spellings.ts"
import { table, type Columns } from "../output.ts"
import type { Report } from "./report.ts"

interface CountedRow {
  readonly name: string
  readonly planted: number
}

const sinkColumns: Columns<SinkRow> = {
  SEARCHED: ({ sink }) => sink,
  TEXTS: ({ texts }) => String(texts),
  CHARACTERS: ({ characters }) => String(characters),
}

export async function prove(options: ProofOptions): Promise<Report> {
  return secretsReport(await proveSecrets(options))
}

function secretsReport({ planted, runs, tally, sinks, ...result }: SecretsResult): Report {
  const bySource = tally.bySource.rows
  const sources = bySource.map(({ names: [name = ""], counts }) => ({ name, planted: sum(counts) }))
  const spelled = spellingNames.map((name) => {
    return { name, planted: bySource.reduce((all, { counts }) => all + (counts[name] ?? 0), 0) }
  })
  const kinds = tally.byKind.rows.map(({ names: [name = ""], counts }) => ({ name, planted: counts.planted ?? 0 }))
  const tables = [countTable("SOURCE", sources), countTable("SPELLING", spelled), countTable("SECRET", kinds)]
  return {
    ...result,
    counted: { planted },
    kinds: ["leaked", "broken"],
    facts: { hosts: runs },
    rows: [
      ...bySource.map(({ names: [source = ""], counts }) => ({ source, spellings: counts })),
      ...kinds.map(({ name, planted: count }) => ({ secret: name, planted: count })),
      ...sinks,
    ],
    table: [...tables, table(sinks, sinkColumns, ["TEXTS", "CHARACTERS"])].join("\n"),
    extent: `${planted} secrets planted with ${runs} hosts, ${sinks.reduce((all, { texts }) => all + texts, 0)} texts searched`,
  }
}

function countTable(title: string, rows: readonly CountedRow[]): string {
  const columns: Columns<CountedRow> = { [title]: ({ name }) => name, PLANTED: ({ planted }) => String(planted) }
  return table(rows, columns, ["PLANTED"])
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((all, one) => all + one, 0)
}
