// Opens the log of a cluster. Loaded only for a home that is a node.
import { checkClusterKey } from "../../identity/cluster-key.ts"
import type { StoreCounters } from "../../log/postgres/log-database.ts"
import { PostgresLog } from "../../log/postgres/postgres-log.ts"
import { DatabaseFault } from "../../postgres/database-fault.ts"
import type { Database } from "../../postgres/database.ts"
import { homeKey } from "../../secrets/home-key.ts"
import type { Cluster } from "./cluster.ts"

export function openClusterLog(cluster: Cluster, home: string, counters?: StoreCounters): PostgresLog {
  return new PostgresLog({
    url: cluster.databaseUrl,
    node: cluster.node.name,
    prepare: (database) => refuseOtherKeys(database, home),
    ...(counters === undefined ? {} : { counters }),
  })
}

/** With another key, approvals and codes of other nodes would not be valid here. */
export async function refuseOtherKeys(database: Database, home: string): Promise<void> {
  const problem = await checkClusterKey(database, homeKey(home))
  if (problem !== undefined) throw new DatabaseFault("refused", problem)
}
