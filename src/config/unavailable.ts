// Settings and variables that are reserved for features which do not exist yet. They are refused, because a setting
// that is accepted and ignored would promise something: the log in PostgreSQL.
import type { Problem } from "./explain.ts"
import type { Environment } from "./home.ts"
import { type Path, valueAt } from "./plain.ts"

interface Unavailable {
  readonly path: Path
  /** Only this value is refused. Absent: any value. */
  readonly value?: string
  readonly what: string
}

const settings: readonly Unavailable[] = [
  { path: ["events", "wake"], what: 'events cannot start turns yet. Remove "events"' },
  {
    path: ["store", "type"],
    value: "postgres",
    what: 'PostgreSQL is not supported yet. Remove "store": the log is kept in SQLite',
  },
  { path: ["bus", "type"], value: "nats", what: 'NATS is not supported yet. Remove "bus": one machine needs none' },
]

const variables: Readonly<Record<string, string>> = {
  TURNHOUSE_DATABASE_URL: "PostgreSQL is not supported yet. Unset it: the log is kept in SQLite.",
  TURNHOUSE_NATS_URL: "NATS is not supported yet. Unset it: one machine needs none.",
}

export const reservedVariables: readonly string[] = Object.keys(variables)

export function unavailableSettings(value: unknown): readonly Problem[] {
  return settings
    .filter(({ path, value: refused }) => {
      const found = valueAt(value, path)
      return refused === undefined ? found !== undefined : found === refused
    })
    .map(({ path, what }) => ({ path, at: "key", what: `${path.join(".")}: ${what}`, missing: false }))
}

/** Values are not shown: an address may contain a password. */
export function unavailableVariables(env: Environment): readonly string[] {
  return Object.entries(variables).flatMap(([name, what]) => (env[name] ? [`${name} is set, but ${what}`] : []))
}
