// What nodes without work ask of PostgreSQL in a second.
import { Database } from "../../src/postgres/database.ts"
import { numberIn, textIn } from "../../src/postgres/row.ts"
import { conversations } from "../doors/loads/sessions.ts"
import { pause } from "../doors/clock.ts"
import { startNodes, stopNodes } from "./cluster-nodes.ts"
import type { Part, PartContext } from "./part.ts"
import { cpuOfServers } from "./servers.ts"

const NODES = ["a", "b", "c"]
const SESSIONS = 60
const SECONDS = 10

export const idle: Part = {
  title: "Idle nodes",
  legend: `For each of ${NODES.length} nodes, with ${SESSIONS} open sessions that do nothing.`,
  async run({ world, servers, report, progress, isQuick }: PartContext): Promise<void> {
    const [count, seconds] = isQuick ? [3, 1] : [SESSIONS, SECONDS]
    progress("nodes without work")
    const url = servers.postgres.createDatabase()
    const database = new Database({ url })
    await database.execute("create extension pg_stat_statements")
    await database.execute(`alter database ${new URL(url).pathname.slice(1)} set pg_stat_statements.track = 'top'`)
    const nodes = await startNodes(world, servers, NODES, url)
    const clients = await Promise.all(nodes.map(({ contender }) => conversations(contender, count / NODES.length)))
    await Promise.all(clients.flat().map((client) => client.turn("1 tokens, one every 0 ms")))
    await database.execute("select pg_stat_statements_reset()")
    const cpu = () => ({
      ...cpuOfServers(servers),
      nodes: nodes.reduce((sum, node) => sum + node.contender.process.cpuMs, 0),
    })
    const before = cpu()
    await pause(seconds * 1000)
    const after = cpu()
    const share = NODES.length * seconds
    for (const name of ["nodes", "postgres", "nats"] as const)
      report.add("log", figures[name], "ours", (after[name] - before[name]) / share)
    const asked = await statements(database)
    report.add("log", figures.statements, "ours", asked.reduce((sum, { calls }) => sum + calls, 0) / share)
    for (const { calls, ms, text } of asked)
      progress(`${(calls / share).toFixed(2)}/s for a node, ${(ms / calls).toFixed(3)} ms each: ${text}`)
    await database.close()
    for (const client of clients.flat()) client.close()
    await stopNodes(nodes)
    report.row("idle", "log", figures.statements, "1/s")
    for (const name of ["nodes", "postgres", "nats"] as const) report.row("idle", "log", figures[name], "ms/s")
  },
}

const figures = {
  statements: "statements of a node",
  nodes: "CPU of a node",
  postgres: "CPU of PostgreSQL for a node",
  nats: "CPU of NATS for a node",
}

interface Statement {
  readonly calls: number
  readonly ms: number
  readonly text: string
}

async function statements(database: Database): Promise<readonly Statement[]> {
  const rows = await database.query(
    `select calls, total_exec_time as ms, left(regexp_replace(query, '\\s+', ' ', 'g'), 100) as text from pg_stat_statements
       where query not like '%pg_stat_statements%' order by calls desc`,
  )
  return rows.map((row) => ({ calls: numberIn(row, "calls"), ms: numberIn(row, "ms"), text: textIn(row, "text") }))
}
