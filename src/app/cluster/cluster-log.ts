// Opens the log of a cluster. Loaded only for a home that is a node.
import type { StoreCounters } from "../../log/postgres/log-database.ts"
import { PostgresLog } from "../../log/postgres/postgres-log.ts"
import type { Cluster } from "./cluster.ts"

export function openClusterLog(cluster: Cluster, _home: string, counters?: StoreCounters): PostgresLog {
  return new PostgresLog({
    url: cluster.databaseUrl,
    node: cluster.node.name,
    ...(counters === undefined ? {} : { counters }),
  })
}
