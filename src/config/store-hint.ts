// Whether the log of a home may be in PostgreSQL, decided before the configuration is read: a false yes costs only time.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Environment } from "./home.ts"

export function mayUsePostgres(home: string, env: Environment): boolean {
  if (env["TURNHOUSE_DATABASE_URL"]) return true
  try {
    return readFileSync(join(home, "config.json"), "utf8").includes("postgres")
  } catch {
    return false // there is none, or it is reported when it is read
  }
}
