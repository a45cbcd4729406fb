// The report of `turnhouse prove long`: the conversations, with their requests and compactions.
import { proveLong, type LongResult, type LongRow } from "../../app/prove/long/prove-long.ts"
import type { ProofOptions } from "../../app/prove/run-proof.ts"
import { table, type Columns } from "../output.ts"
import type { Report } from "./report.ts"

const columns: Columns<LongRow> = {
  HOST: ({ host }) => host,
  WINDOW: ({ window }) => String(window),
  ASSUMED: ({ assumed }) => String(assumed),
  TOKENS: ({ tokens }) => String(tokens),
  "LONGEST TURN": ({ longestTurn }) => String(longestTurn),
  TURNS: ({ turns }) => String(turns),
  EVENTS: ({ events }) => String(events),
  REQUESTS: ({ requests }) => String(requests),
  COMPACTIONS: ({ compactions }) => String(compactions),
  SUMMARIES: ({ summaries }) => String(summaries),
  "TOO LONG": ({ tooLong }) => String(tooLong),
  "LEFT OUT": ({ leftOut }) => String(leftOut),
}

export async function prove(options: ProofOptions): Promise<Report> {
  return longReport(await proveLong(options))
}

function longReport({ rows, tokens, ...result }: LongResult): Report {
  const sum = (field: "turns" | "events" | "requests" | "compactions" | "summaries") =>
    rows.reduce((total, row) => total + row[field], 0)
  const longestTurn = Math.max(...rows.map((row) => row.longestTurn))
  const facts = {
    turns: sum("turns"),
    events: sum("events"),
    requests: sum("requests"),
    compactions: sum("compactions"),
    summaries: sum("summaries"),
  }
  return {
    ...result,
    counted: { tokens },
    facts: { ...facts, longestTurn },
    kinds: ["lost", "doubled", "broken"],
    rows,
    table: table(rows, columns, Object.keys(columns).slice(1)),
    extent: `${tokens} tokens in ${facts.turns} turns, the longest with ${longestTurn}; ${facts.events} texts of events in ${facts.requests} requests, ${facts.compactions} compactions with ${facts.summaries} requests for summaries`,
  }
}
