// The two variables that turn single hosts into a cluster. They win over every file, so that the same configuration can
// be used on one machine and on many.
import type { Config } from "../contract/config.ts"
import { ConfigFault } from "./config-fault.ts"
import type { Environment } from "./home.ts"

export function fromEnvironment(env: Environment): Pick<Config, "store" | "bus"> {
  const database = env["TURNHOUSE_DATABASE_URL"]
  const nats = env["TURNHOUSE_NATS_URL"]
  const problems = [
    ...problemIf(database, /^postgres(ql)?:\/\/./, "TURNHOUSE_DATABASE_URL", "postgres://user:password@host/database"),
    ...problemIf(nats, /^(nats|tls|wss?):\/\/./, "TURNHOUSE_NATS_URL", "nats://host:4222"),
  ]
  if (problems.length > 0) throw new ConfigFault(problems)
  return {
    ...(database ? { store: { type: "postgres", url: database } } : {}),
    ...(nats ? { bus: { type: "nats", url: nats } } : {}),
  }
}

/** The value may hold a password and is not shown. */
function problemIf(value: string | undefined, form: RegExp, name: string, example: string): string[] {
  if (!value || form.test(value)) return []
  return [`The environment variable ${name} is not such an address: it should look like ${example}.`]
}
