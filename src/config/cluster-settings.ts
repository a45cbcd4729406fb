// The settings of a cluster: laid over by environment variables, and checked together. Addresses may contain passwords, which no
// message shows.
import type { Config } from "../contract/config.ts"
import { ConfigFault } from "./faults.ts"
import type { Environment } from "./home.ts"

export const clusterVariables: readonly string[] = [
  "TURNHOUSE_DATABASE_URL",
  "TURNHOUSE_NATS_URL",
  "TURNHOUSE_NODE_NAME",
]

/** Throws ConfigFault. */
export function withClusterVariables(config: Config, env: Environment): Config {
  const { TURNHOUSE_DATABASE_URL: database, TURNHOUSE_NATS_URL: nats, TURNHOUSE_NODE_NAME: name } = env
  const laid: Config = {
    ...config,
    ...(database ? { store: { type: "postgres", url: database } } : {}),
    ...(nats ? { bus: { type: "nats", url: nats } } : {}),
    ...(name ? { node: { ...config.node, name } } : {}),
  }
  const problems = problemsIn(
    laid,
    database ? "TURNHOUSE_DATABASE_URL" : "store.url",
    nats ? "TURNHOUSE_NATS_URL" : "bus.url",
  )
  if (problems.length > 0) throw new ConfigFault(problems)
  return laid
}

const nodeName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/

function problemsIn({ store, bus, node }: Config, storePlace: string, busPlace: string): readonly string[] {
  const isCluster = store?.type === "postgres"
  const problems: string[] = []
  if (isCluster && !hasScheme(store.url, ["postgres:", "postgresql:"]))
    problems.push(`${storePlace}: not an address of PostgreSQL. Write postgres://USER@HOST:PORT/DATABASE.`)
  if (bus?.type === "nats" && !bus.url.split(",").every((url) => hasScheme(url.trim(), ["nats:", "tls:"])))
    problems.push(`${busPlace}: not an address of NATS. Write nats://HOST:PORT or tls://HOST:PORT.`)
  if (bus?.type === "nats" && !isCluster)
    problems.push(`${busPlace}: NATS connects nodes that share a log in PostgreSQL. Set "store" too, or remove it.`)
  if (node !== undefined && !isCluster)
    problems.push(`node: it describes a node of a cluster. Set "store" to PostgreSQL too, or remove it.`)
  for (const name of [...(node?.name === undefined ? [] : [node.name]), ...Object.keys(node?.labels ?? {})])
    if (!nodeName.test(name))
      problems.push(`node: ${JSON.stringify(name)} is not a name. Use up to 63 letters, digits, '.', '_' and '-'.`)
  return problems
}

function hasScheme(address: string, schemes: readonly string[]): boolean {
  return schemes.some((scheme) => address.startsWith(`${scheme}//`) && address.length > scheme.length + 2)
}
