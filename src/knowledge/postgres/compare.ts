// What PostgreSQL lacks of a local index, and what it has of documents that are gone there.
import type { DatabaseSync } from "node:sqlite"
import type { Queries } from "../../postgres/database.ts"
import { booleanIn, textIn } from "../../postgres/row.ts"
import { localDocuments, type LocalDocument } from "./local-documents.ts"

export interface DocumentKey {
  readonly org: string
  readonly name: string
}

export interface Differences {
  /** Not in PostgreSQL, or changed since this index has written them. */
  readonly unwritten: readonly LocalDocument[]
  /** Written by this index, which does not have them any more. */
  readonly gone: readonly DocumentKey[]
  /** Removed by a command on some node, and unchanged here. */
  readonly removed: readonly DocumentKey[]
}

interface Publication extends DocumentKey {
  readonly digest: string
  readonly isRemoved: boolean
  /** The document is in PostgreSQL, from any node. */
  readonly isThere: boolean
}

export async function compare(
  local: DatabaseSync,
  queries: Queries,
  publisher: string | undefined,
): Promise<Differences> {
  const known = new Map((await publications(queries, publisher)).map((one) => [keyOf(one), one]))
  const unwritten: LocalDocument[] = []
  const removed: DocumentKey[] = []
  for (const document of localDocuments(local)) {
    const publication = known.get(keyOf(document))
    known.delete(keyOf(document))
    if (publication === undefined || publication.digest !== document.digest) unwritten.push(document)
    else if (publication.isRemoved) removed.push(document)
    else if (!publication.isThere) unwritten.push(document)
  }
  return { unwritten, gone: [...known.values()], removed }
}

async function publications(queries: Queries, publisher: string | undefined): Promise<readonly Publication[]> {
  if (publisher === undefined) return []
  const rows = await queries.query(
    `select one.org, one.name, one.digest, one.is_removed, documents.id is not null as is_there
     from turnhouse.publications as one
     left join turnhouse.documents on documents.org = one.org and documents.name = one.name
     where one.publisher = $1`,
    [publisher],
  )
  return rows.map((row) => ({
    org: textIn(row, "org"),
    name: textIn(row, "name"),
    digest: textIn(row, "digest"),
    isRemoved: booleanIn(row, "is_removed"),
    isThere: booleanIn(row, "is_there"),
  }))
}

export function keyOf({ org, name }: DocumentKey): string {
  return `${org}\n${name}`
}
