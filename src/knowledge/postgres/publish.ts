// Brings PostgreSQL up to date with a local index: what is new or changed there is written, what is gone is deleted, and what
// was removed on another node is removed from the local index. An interrupted run is continued by the next one.
import { existsSync } from "node:fs"
import { hostname } from "node:os"
import type { DatabaseSync } from "node:sqlite"
import type { Database } from "../../postgres/database.ts"
import { numberIn } from "../../postgres/row.ts"
import { IndexOutdated, openForReading } from "../index/schema.ts"
import { IndexWriter } from "../index/writer.ts"
import { compare, type Differences, type DocumentKey } from "./compare.ts"
import { ensurePublisher, localPassages, publisherOf, type LocalDocument } from "./local-documents.ts"
import { publishVectors } from "./vectors.ts"
import { forgetDocuments, lockWriters, writeDocument, type Publisher } from "./write-documents.ts"

export interface PublishOptions {
  /** Shown as the origin of the documents. Default: the name of this machine. */
  readonly node?: string | undefined
  readonly onProgress?: (line: string) => void
  /** Ends the work between two transactions. */
  readonly signal?: AbortSignal | undefined
  /** Also the vectors of passages: `openVectors` has found the extension. */
  readonly withVectors?: boolean
}

export interface Published {
  readonly written: number
  readonly deleted: number
  /** Removed from the local index, because a command on another node has removed them. */
  readonly removed: readonly DocumentKey[]
  /** Documents of other nodes that had the same organisation and name. */
  readonly replaced: readonly (DocumentKey & { readonly node: string })[]
}

/** Passages, documents and deleted documents in a transaction. */
const BATCH_PASSAGES = 2000
const BATCH_DOCUMENTS = 100
const BATCH_DELETED = 500
/** A large document is one transaction. */
export const PUBLISH_TIMEOUT_MS = 120_000

const nothing: Published = { written: 0, deleted: 0, removed: [], replaced: [] }

/** Writes nothing where there is no index. `database`: with tables, and a timeout of PUBLISH_TIMEOUT_MS. */
export async function publishAll(
  indexPath: string,
  database: Database,
  { node = hostname(), onProgress = () => {}, signal, withVectors = false }: PublishOptions = {},
): Promise<Published> {
  if (!existsSync(indexPath)) return nothing
  const { id, removed } = await applyRemovals(indexPath, database)
  const local = openForReading(indexPath)
  if (local === undefined) return nothing
  local.exec("begin") // one state of the index, whatever other processes write meanwhile
  try {
    const differences = await compare(local, database, id)
    const work = { local, database, publisher: { id, node }, onProgress, signal }
    const deleted = await deleteGone(work, differences)
    const written = await writeAll(work, differences)
    if (withVectors) await publishVectors(local, database, { publisher: id, signal })
    return { ...written, deleted, removed }
  } finally {
    local.close()
  }
}

/** Removes from an index what was removed on other nodes, so that a command that follows can add it again. */
export async function applyRemovals(indexPath: string, database: Database): Promise<Removals> {
  const known = await readRemovals(indexPath, database)
  if (known?.removed.length === 0) return known // without the lock of writers, which may be held for long
  const writer = new IndexWriter(indexPath)
  try {
    const id = ensurePublisher(writer.database)
    const { removed } = await compare(writer.database, database, id)
    for (const { org, name } of removed) writer.remove(org, name)
    return { id, removed }
  } finally {
    writer.close()
  }
}

export interface Removals {
  /** The number of the index among all publishers. */
  readonly id: string
  readonly removed: readonly DocumentKey[]
}

/** Undefined for an index that was never written to PostgreSQL, or by an older release. */
async function readRemovals(indexPath: string, database: Database): Promise<Removals | undefined> {
  const local = openCurrent(indexPath)
  if (local === undefined) return undefined
  try {
    const id = publisherOf(local)
    return id === undefined ? undefined : { id, removed: (await compare(local, database, id)).removed }
  } finally {
    local.close()
  }
}

function openCurrent(indexPath: string): DatabaseSync | undefined {
  try {
    return openForReading(indexPath)
  } catch (fault) {
    if (fault instanceof IndexOutdated) return undefined
    throw fault
  }
}

/** Documents that are searched, of all nodes. */
export async function countDocuments(database: Database): Promise<number> {
  const [row] = await database.query("select count(*) as found from turnhouse.documents")
  return row === undefined ? 0 : numberIn(row, "found")
}

/** How many documents of the index are not in PostgreSQL, or still are although they are gone. */
export async function countDifferences(local: DatabaseSync, database: Database): Promise<number> {
  const { unwritten, gone, removed } = await compare(local, database, publisherOf(local))
  return unwritten.length + gone.length + removed.length
}

interface Work {
  readonly local: DatabaseSync
  readonly database: Database
  readonly publisher: Publisher
  readonly onProgress: (line: string) => void
  readonly signal: AbortSignal | undefined
}

async function deleteGone({ database, publisher, signal }: Work, { gone }: Differences): Promise<number> {
  let deleted = 0
  for (let start = 0; start < gone.length; start += BATCH_DELETED) {
    if (signal?.aborted === true) break
    const batch = gone.slice(start, start + BATCH_DELETED)
    await database.transaction(async (queries) => {
      await lockWriters(queries)
      await forgetDocuments(queries, publisher, batch)
    })
    deleted += batch.length
  }
  return deleted
}

async function writeAll(work: Work, { unwritten }: Differences): Promise<Pick<Published, "written" | "replaced">> {
  const { local, database, publisher, onProgress, signal } = work
  const replaced: Published["replaced"][number][] = []
  let written = 0
  for (const batch of batchesOf(unwritten)) {
    if (signal?.aborted === true) break
    const others = await database.transaction(async (queries) => {
      await lockWriters(queries)
      const nodes: Published["replaced"][number][] = []
      for (const document of batch) {
        const { org, name } = document
        const node = await writeDocument(queries, publisher, document, localPassages(local, document.id))
        if (node !== undefined) nodes.push({ org, name, node })
      }
      return nodes
    })
    replaced.push(...others)
    written += batch.length
    onProgress(`${written} of ${unwritten.length} documents written to ${database.server}`)
  }
  return { written, replaced }
}

function* batchesOf(documents: readonly LocalDocument[]): Generator<readonly LocalDocument[]> {
  let batch: LocalDocument[] = []
  let passages = 0
  for (const document of documents) {
    if (batch.length >= BATCH_DOCUMENTS || (batch.length > 0 && passages + document.passages > BATCH_PASSAGES)) {
      yield batch
      batch = []
      passages = 0
    }
    batch.push(document)
    passages += document.passages
  }
  if (batch.length > 0) yield batch
}
