// Whether all nodes of a cluster have the same home key. The first node stores a fingerprint of its key.
import { hkdfSync } from "node:crypto"
import type { Database } from "../postgres/database.ts"
import { DatabasePart } from "../postgres/database-part.ts"
import type { Step } from "../postgres/migrate.ts"
import { textIn } from "../postgres/row.ts"

const steps: readonly Step[] = [
  {
    sql: `
      create table turnhouse.cluster (
        only_row boolean primary key default true check (only_row),
        key_fingerprint text not null
      );
    `,
    keepsOlder: true,
  },
]

/** Why this node must not use the database, if its home key is not the cluster's. */
export async function checkClusterKey(database: Database, homeKey: Uint8Array): Promise<string | undefined> {
  const part = new DatabasePart(database, "cluster", steps)
  const own = fingerprint(homeKey)
  await part.query("insert into turnhouse.cluster (key_fingerprint) values ($1) on conflict do nothing", [own])
  const [row] = await part.query("select key_fingerprint from turnhouse.cluster")
  if (row !== undefined && textIn(row, "key_fingerprint") === own) return undefined
  return `this node's secret.key is not the key of the cluster at ${database.server}. Copy secret.key and console.key from a node, or set TURNHOUSE_CLUSTER_SECRET to the same value on all nodes.`
}

/** Not reversible: the key cannot be guessed from it. */
function fingerprint(homeKey: Uint8Array): string {
  return Buffer.from(hkdfSync("sha256", homeKey, Buffer.alloc(0), "turnhouse cluster fingerprint", 32)).toString("hex")
}
