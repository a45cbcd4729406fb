// Documents in PostgreSQL, for commands: writes what a command has changed in the index of this node. Loaded only where the
// configuration has `store: postgres`.
import { existsSync } from "node:fs"
import type { Config } from "../../contract/config.ts"
import { IndexWriter } from "../../knowledge/index/writer.ts"
import { documentLines, organisations, type SharedLine } from "../../knowledge/postgres/pages.ts"
import { applyRemovals, publishAll, PUBLISH_TIMEOUT_MS, type Published } from "../../knowledge/postgres/publish.ts"
import { openDocuments } from "../../knowledge/postgres/tables.ts"
import { openVectors } from "../../knowledge/postgres/vectors.ts"
import type { DocumentKey } from "../../knowledge/postgres/compare.ts"
import { removeDocuments } from "../../knowledge/postgres/write-documents.ts"
import type { Database } from "../../postgres/database.ts"
import { DatabaseFault } from "../../postgres/database-fault.ts"
import { embedderName } from "../settings/embedder.ts"
import { indexPath } from "../settings/knowledge.ts"
import { printNotice } from "../terminal.ts"
import type { Cluster, ClusterPlace } from "../cluster/cluster.ts"
import { DocumentsUnavailable } from "./documents-unavailable.ts"

const SHOWN = 5

export class SharedDocuments {
  readonly database: Database
  readonly #path: string
  readonly #node: string
  readonly #withVectors: boolean

  private constructor(database: Database, path: string, node: string, withVectors: boolean) {
    this.database = database
    this.#path = path
    this.#node = node
    this.#withVectors = withVectors
  }

  /** Throws DatabaseFault, and IndexFault where the configuration needs vectors and the database has none. */
  static async open({ node, databaseUrl }: Cluster, home: string, config: Config): Promise<SharedDocuments> {
    const database = await openDocuments(databaseUrl, { timeoutMs: PUBLISH_TIMEOUT_MS })
    const withVectors = embedderName(config) !== undefined
    try {
      if (withVectors) await openVectors(database)
      return new SharedDocuments(database, indexPath(home), node.name, withVectors)
    } catch (fault) {
      await database.close()
      throw fault
    }
  }

  organisations(): Promise<readonly string[]> {
    return organisations(this.database)
  }

  /** Before documents are read: what was removed on another node can be added again. */
  async applyRemovals(): Promise<void> {
    if (existsSync(this.#path)) report({ replaced: [], ...(await applyRemovals(this.#path, this.database)) })
  }

  /** Also after an interruption: what was read can be searched. */
  async publish({ onProgress }: { readonly onProgress: (line: string) => void }): Promise<void> {
    try {
      report(
        await publishAll(this.#path, this.database, { onProgress, node: this.#node, withVectors: this.#withVectors }),
      )
    } catch (fault) {
      if (!(fault instanceof DatabaseFault)) throw fault
      throw new DocumentsUnavailable(
        `${fault.message}. The index of this node is changed, and what other nodes search is not. Run 'turnhouse knowledge refresh' when the database works again.`,
      )
    }
  }

  close(): Promise<void> {
    return this.database.close()
  }
}

function report({ removed, replaced }: Pick<Published, "removed" | "replaced">): void {
  for (const { name, node } of replaced.slice(0, SHOWN))
    printNotice(`turnhouse: ${name} has replaced the document of that name that ${node} had added`)
  if (replaced.length > SHOWN) printNotice(`turnhouse: and ${replaced.length - SHOWN} more documents of other nodes`)
  for (const { name } of removed.slice(0, SHOWN))
    printNotice(`turnhouse: ${name} was removed on another node, and is removed from the index of this one`)
  if (removed.length > SHOWN) printNotice(`turnhouse: and ${removed.length - SHOWN} more documents`)
}

/** The documents of all nodes, of one organisation or of all. */
export async function sharedDocumentLines(url: string, org: string | undefined): Promise<readonly SharedLine[]> {
  const database = await openDocuments(url)
  try {
    return await documentLines(database, org)
  } finally {
    await database.close()
  }
}

/** Removes documents of any node, all or none. Returns one that does not exist. */
export async function removeEverywhere(
  { home, config }: ClusterPlace,
  cluster: Cluster,
  keys: readonly DocumentKey[],
): Promise<DocumentKey | undefined> {
  const shared = await SharedDocuments.open(cluster, home, config)
  try {
    const local = existsSync(indexPath(home)) ? new IndexWriter(indexPath(home)) : undefined
    try {
      const isHere = ({ org, name }: DocumentKey) => local?.has(org, name) === true
      const [missing] = await shared.database.transaction((queries) => removeDocuments(queries, keys, isHere))
      if (missing !== undefined) return missing
      for (const { org, name } of keys) local?.remove(org, name)
    } finally {
      local?.close()
    }
    await shared.publish({ onProgress: () => {} })
    return undefined
  } finally {
    await shared.close()
  }
}
