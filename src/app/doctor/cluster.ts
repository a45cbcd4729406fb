// Checks the database of a cluster, and what its directory says about nodes and sessions. Addresses are not shown: they may
// contain a password.
import type { EventLog } from "../../log/event-log.ts"
import type { NodeReport, NodesReport } from "../../contract/views/nodes.ts"
import type { Database } from "../../postgres/database.ts"
import { activityOf, readStatus } from "../../projection/status.ts"
import { counted } from "../../display/format.ts"
import { accepted } from "../app-fault.ts"
import { clusterOf, type Cluster, type ClusterPlace } from "../cluster/cluster.ts"
import { listNodes } from "../cluster/list-nodes.ts"
import { openLog } from "../host/open-log.ts"
import { busFindings } from "./bus.ts"
import { ok, problem, warning, type Check, type Finding } from "./finding.ts"

const OLDEST_SERVER = 15
const MAX_CLOCK_DIFFERENCE_MS = 2000
const SLOW_MS = 50
/** Connections that a node opens at most, roughly. */
const CONNECTIONS_OF_NODE = 10
const PATIENCE_MS = 4000
const database = "database"

/** None for a home whose log is in SQLite. */
export function clusterChecks(place: ClusterPlace): readonly Check[] {
  const cluster = clusterOf(place)
  if (cluster === undefined) return []
  return [
    { subject: database, look: () => checkDatabase(cluster) },
    { subject: "nodes", look: () => checkNodes(place) },
    { subject: "bus", look: () => busFindings(place) },
  ]
}

async function checkDatabase({ databaseUrl }: Cluster): Promise<readonly Finding[]> {
  const [{ Database }, { DatabaseFault }] = await Promise.all([
    import("../../postgres/database.ts"),
    import("../../postgres/database-fault.ts"),
  ])
  const opened = new Database({ url: databaseUrl, connections: 1, timeoutMs: PATIENCE_MS })
  try {
    await opened.query("select 1") // connects
    return [await reached(opened), ...(await serverFindings(opened)), ...(await schemaFindings(opened))]
  } catch (fault) {
    if (!(fault instanceof DatabaseFault)) throw fault
    return [problem(database, fault.message, "check that PostgreSQL runs, its address, and the name and password")]
  } finally {
    await opened.close()
  }
}

async function reached(opened: Database): Promise<Finding> {
  const start = performance.now()
  await opened.query("select 1")
  const ms = performance.now() - start
  const what = `PostgreSQL at ${opened.server} answers in ${ms.toFixed(1)} ms`
  return ms < SLOW_MS
    ? ok(database, what)
    : warning(database, what, "every stored event waits for it: run the nodes near the database")
}

async function serverFindings(opened: Database): Promise<readonly Finding[]> {
  const before = Date.now()
  const [row = {}] = await opened.query(
    `select current_setting('server_version_num')::int / 10000 as version, current_setting('fsync') as fsync,
       current_setting('synchronous_commit') as commits, current_setting('max_connections')::int as connections,
       (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as used,
       (extract(epoch from clock_timestamp()) * 1000)::float8 as now,
       has_database_privilege(current_database(), 'create') as may_create`,
  )
  const here = (before + Date.now()) / 2
  return [
    ...serverVersion(Number(row["version"])),
    ...durability(String(row["fsync"]), String(row["commits"])),
    ...clockDifference(here - Number(row["now"])),
    ...headroom(Number(row["connections"]), Number(row["used"])),
    ...privileges(row["may_create"] === true),
  ]
}

function serverVersion(version: number): readonly Finding[] {
  if (version >= OLDEST_SERVER) return []
  const what = `the server is PostgreSQL ${version}; ${OLDEST_SERVER} or later is needed`
  return [problem(database, what, "upgrade the server")]
}

function durability(fsync: string, commits: string): readonly Finding[] {
  const off = [...(fsync === "off" ? ["fsync"] : []), ...(commits === "off" ? ["synchronous_commit"] : [])]
  return off.map((name) =>
    warning(database, `${name} is off: a crash of the server loses acknowledged events`, `set ${name} = on`),
  )
}

function clockDifference(ms: number): readonly Finding[] {
  if (Math.abs(ms) <= MAX_CLOCK_DIFFERENCE_MS) return []
  const side = ms > 0 ? "ahead of" : "behind"
  const what = `the clock of this machine is ${(Math.abs(ms) / 1000).toFixed(1)} s ${side} that of the server`
  return [warning(database, what, "synchronise both with NTP; times that people see are wrong")]
}

function headroom(all: number, used: number): readonly Finding[] {
  if (all - used >= CONNECTIONS_OF_NODE) return []
  const what = `${used} of ${all} connections of the server are in use: another node may not get its ${CONNECTIONS_OF_NODE}`
  return [warning(database, what, "raise max_connections")]
}

function privileges(mayCreate: boolean): readonly Finding[] {
  if (mayCreate) return []
  const what = "the user may not create schemas in the database: upgrades cannot change the tables"
  return [warning(database, what, "grant create on the database, or run upgrades with a user that may")]
}

async function schemaFindings(opened: Database): Promise<readonly Finding[]> {
  const [there = {}] = await opened.query("select to_regclass('turnhouse.schema_versions') is not null as there")
  if (there["there"] !== true) return [ok(database, "has no tables yet: the first start creates them")]
  const [rows, { logSteps }] = [
    await opened.query("select part, version, oldest from turnhouse.schema_versions order by part"),
    await import("../../log/postgres/schema.ts"),
  ]
  const log = rows.find((row) => row["part"] === "log")
  if (Number(log?.["oldest"] ?? 0) > logSteps.length)
    return [problem(database, "its tables are of a newer release, which this one cannot use", "upgrade this node")]
  const [usable = {}] = await opened.query(
    `select bool_and(has_table_privilege(c.oid, 'select, insert, update, delete')) as usable
       from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'turnhouse' and c.relkind = 'r'`,
  )
  if (usable["usable"] === false) {
    const what = "the user may not read and write all tables of the schema turnhouse"
    return [problem(database, what, "grant select, insert, update and delete on them")]
  }
  return [ok(database, `schema: ${rows.map((row) => `${String(row["part"])} ${String(row["version"])}`).join(", ")}`)]
}

async function checkNodes(place: ClusterPlace): Promise<readonly Finding[]> {
  const log = await openLog(place)
  try {
    const report = await listNodes(log, place)
    return [...nodeFindings(report, clusterOf(place)?.node.release), ...(await leftOpen(log))]
  } finally {
    await log.close()
  }
}

export function nodeFindings({ nodes, waiting }: NodesReport, release: string | undefined): readonly Finding[] {
  const live = nodes.filter(({ state }) => state === "live")
  const summary = live.length === 0 ? "no node is running" : `${counted(live.length, "node")} live: ${namesOf(live)}`
  const silent = nodes.filter(
    ({ state, sessions }) => state === "expiring" || (state === "unreachable" && sessions > 0),
  )
  return [
    ok("nodes", summary),
    ...nodes.flatMap((node) => otherRelease(node, release)),
    ...silent.map(({ name, state, sessions }) =>
      warning(
        "nodes",
        `node '${name}' is ${state} and has ${counted(sessions, "session")}`,
        "see its log and its network",
      ),
    ),
    ...waiting.map(({ label, sessions, sessionIds: [first = ""] }) =>
      warning(
        "nodes",
        `${counted(sessions, "session")} can run only on a node with the label '${label}', and none is running: ${first}`,
        'start such a node, or add the label under "node.labels" of one that has the folder',
      ),
    ),
  ]
}

function namesOf(nodes: readonly NodeReport[]): string {
  return nodes.map(({ name }) => name).join(", ")
}

function otherRelease({ name, state, release }: NodeReport, own: string | undefined): readonly Finding[] {
  if (state !== "live" || own === undefined || release === own) return []
  return [warning("nodes", `node '${name}' runs release ${release}, this machine has ${own}`, "finish the upgrade")]
}

async function leftOpen(log: EventLog): Promise<readonly Finding[]> {
  const left = accepted(await log.leftOpen()).value.filter(({ summary }) => {
    const status = readStatus(summary)
    return status !== undefined && activityOf(status) !== "idle" && !status.hibernated
  })
  if (left.length === 0) return [ok("turns", "no dead host left a turn open")]
  const [first] = left
  const what = `${counted(left.length, "turn")} of dead hosts wait for a node, such as session ${first?.sessionId}`
  return [warning("turns", what, "a running node that can run them continues them; 'turnhouse nodes' lists the nodes")]
}
