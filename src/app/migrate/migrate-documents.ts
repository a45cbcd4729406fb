// Publishes the documents of a home in PostgreSQL. On the way back nothing is needed: the home has kept its own.
import { publishAll, PUBLISH_TIMEOUT_MS } from "../../knowledge/postgres/publish.ts"
import { openDocuments } from "../../knowledge/postgres/tables.ts"
import { DatabaseFault } from "../../postgres/database-fault.ts"
import { AppFault, exitCodes } from "../app-fault.ts"
import type { Cluster } from "../cluster/cluster.ts"
import { indexPath } from "../settings/knowledge.ts"

/** Returns the number of documents that were written; those that are there already are not. */
export async function migrateDocuments(
  { databaseUrl, node }: Cluster,
  home: string,
  onProgress: (line: string) => void,
): Promise<number> {
  try {
    const database = await openDocuments(databaseUrl, { timeoutMs: PUBLISH_TIMEOUT_MS })
    try {
      const { written } = await publishAll(indexPath(home), database, { node: node.name, onProgress })
      return written
    } finally {
      await database.close()
    }
  } catch (fault) {
    if (!(fault instanceof DatabaseFault)) throw fault
    throw new AppFault(
      `the sessions were copied, but not the documents: ${fault.message}. Run the same command again.`,
      exitCodes.unreachable,
    )
  }
}
