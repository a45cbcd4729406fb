// What `--to` of a migration names, and what the user has to change so that the other log is used.
import { join } from "node:path"
import { clusterVariables } from "../../config/cluster-settings.ts"
import { usageFault } from "../app-fault.ts"
import { clusterOf, type Cluster } from "../cluster/cluster.ts"
import type { AppContext } from "../context.ts"

export interface MigrationTarget {
  readonly to: "postgres" | "sqlite"
  readonly cluster: Cluster
  /** The database is the configured one. */
  readonly isConfigured: boolean
}

const schemes = ["postgres://", "postgresql://"]
const howToConfigure = `set TURNHOUSE_DATABASE_URL, or "store" in config.json`

export function migrationTarget(to: string | undefined, context: AppContext): MigrationTarget {
  const configured = clusterOf(context)
  if (to === undefined) throw usageFault("name the target: --to postgres://USER@HOST/DATABASE, or --to sqlite")
  if (to === "sqlite" || to === "postgres") {
    if (configured !== undefined) return { to, cluster: configured, isConfigured: true }
    const named = to === "postgres" ? ", or use --to postgres://USER@HOST/DATABASE" : ""
    throw usageFault(`--to ${to}: no PostgreSQL is configured. To name it, ${howToConfigure}${named}.`)
  }
  if (!schemes.some((scheme) => to.startsWith(scheme) && to.length > scheme.length))
    throw usageFault(
      "--to: not an address of PostgreSQL. Use postgres://USER@HOST:PORT/DATABASE, 'postgres' or 'sqlite'.",
    )
  const { home, config } = context
  const cluster = clusterOf({ home, config: { ...config, store: { type: "postgres", url: to } } })
  if (cluster === undefined) throw new Error("a home with PostgreSQL is not a node")
  return { to: "postgres", cluster, isConfigured: configured?.databaseUrl === to }
}

/** Sentences for the user. The address may contain a password and is not shown. */
export function nextSteps(
  { to, cluster, isConfigured }: MigrationTarget,
  { home }: AppContext,
  env: NodeJS.ProcessEnv,
): readonly string[] {
  const file = join(home, "config.json")
  if (to === "sqlite") {
    const variables = clusterVariables.filter((name) => env[name])
    const unset = variables.length === 0 ? "" : `Unset ${variables.join(", ")}. `
    return [`${unset}Remove "store", "bus" and "node" from ${file} if they are there: then this home uses SQLite.`]
  }
  const name = `Sessions with a folder are bound to this node, ${cluster.node.name}: do not change its name.`
  if (isConfigured) return ["This home is configured to use this database.", name]
  return [
    `To use it, set TURNHOUSE_DATABASE_URL to the address, or add "store": { "type": "postgres", "url": ADDRESS } to ${file}.`,
    name,
  ]
}
