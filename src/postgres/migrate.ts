// Creates and changes the tables of a part of the program, forward only, under a lock that all nodes share. Each part (log,
// locks …) has its own list of steps and its own version.
import type { Database, Queries } from "./database.ts"
import { DatabaseFault } from "./database-fault.ts"
import { numberIn } from "./row.ts"

export interface Step {
  readonly sql: string
  /** Whether releases that do not know this step can keep running: it only adds what they ignore. */
  readonly keepsOlder: boolean
}

const bookkeeping = `
  create schema if not exists turnhouse;
  create table if not exists turnhouse.schema_versions (
    part text primary key,
    version integer not null,
    oldest integer not null -- a release whose newest step is older than this must not use the tables
  );
`

export async function migrate(database: Database, part: string, steps: readonly Step[]): Promise<void> {
  const found = await storedVersion(database, part)
  if (found !== undefined && isUsable(database.server, part, found, steps.length)) return
  await database.transaction(async (queries) => {
    await queries.query("select pg_advisory_xact_lock(hashtext('turnhouse migrations'))")
    for (const statement of bookkeeping.split(";\n").filter((text) => text.trim() !== ""))
      await queries.query(statement)
    const [row] = await queries.query("select version, oldest from turnhouse.schema_versions where part = $1", [part])
    const version = row === undefined ? 0 : numberIn(row, "version")
    if (version >= steps.length) return // another node was faster
    const oldest = steps.reduce((last, step, at) => (step.keepsOlder ? last : at + 1), 1)
    for (const { sql } of steps.slice(version)) await runEach(queries, sql)
    await queries.query(
      `insert into turnhouse.schema_versions (part, version, oldest) values ($1, $2, $3)
       on conflict (part) do update set version = excluded.version, oldest = excluded.oldest`,
      [part, steps.length, oldest],
    )
  })
}

interface StoredVersion {
  readonly version: number
  readonly oldest: number
}

/** Undefined if there are no tables yet. */
async function storedVersion(database: Database, part: string): Promise<StoredVersion | undefined> {
  const [there] = await database.query("select to_regclass('turnhouse.schema_versions') is not null as there")
  if (there?.["there"] !== true) return undefined
  const [row] = await database.query("select version, oldest from turnhouse.schema_versions where part = $1", [part])
  return row && { version: numberIn(row, "version"), oldest: numberIn(row, "oldest") }
}

/** False if steps are missing; throws if the tables are too new for this release. */
function isUsable(server: string, part: string, { version, oldest }: StoredVersion, known: number): boolean {
  if (oldest <= known) return version >= known
  const what = `the ${part} at ${server} has schema ${version}, and this release knows ${known}. Upgrade this node.`
  throw new DatabaseFault("newer", what)
}

/** A statement ends with a semicolon at the end of a line. */
async function runEach(queries: Queries, script: string): Promise<void> {
  for (const statement of script.split(/;\s*\n/)) if (statement.trim() !== "") await queries.query(statement)
}
