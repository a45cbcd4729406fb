// Answers queries about the documents of a home. Whose documents a client may see is decided before (doors/house); here the
// index is asked for exactly those. Known secrets in texts are not shown.
import type { Answers, Queries } from "../../contract/queries.ts"
import type { DocumentEntry } from "../../contract/views/documents.ts"
import { kindOfName } from "../../knowledge/extract/kinds.ts"
import {
  documentRow,
  documentRows,
  type ListedDocument,
  passageTexts,
  type Readers,
} from "../../knowledge/index/document-pages.ts"
import { IndexFault, openForReading } from "../../knowledge/index/schema.ts"
import { MIN_FIT } from "../../knowledge/search/search.ts"
import { ok, refused, type Outcome } from "../../log/event-log.ts"
import { ModelUnavailable } from "../../models/model-source.ts"
import type { TextScrubber } from "../../tools/tool.ts"
import type { HomeDocuments } from "../settings/knowledge.ts"

/** The organisation of sessions that are started on this computer. */
const LOCAL = "local"

export interface DocumentPlace {
  /** The index file. */
  readonly path: string
  readonly source: HomeDocuments
  readonly scrubber: TextScrubber
}

type Database = NonNullable<ReturnType<typeof openForReading>>

export async function documentPage(
  { path }: DocumentPlace,
  { org, groups, filter = "", offset = 0, limit }: Queries["documents"],
): Promise<Outcome<Answers["documents"]>> {
  const none = { total: 0, matching: 0, documents: [], orgs: [] }
  const found = reading(path, none, (database) => {
    const page = documentRows(database, { org, groups }, { filter, offset, limit })
    return { ...page, documents: page.documents.map((document) => entryOf(document, groups)) }
  })
  return found.kind === "refused" ? found : ok({ ...found.value, offset })
}

export async function documentText(
  { path, scrubber }: DocumentPlace,
  { org, groups, name, from = 0, limit }: Queries["document"],
): Promise<Outcome<Answers["document"]>> {
  return reading<Answers["document"]>(path, { passages: [] }, (database) => {
    const document = documentRow(database, { org, groups }, name)
    if (document === undefined) return { passages: [] }
    const passages = passageTexts(database, document, { from, limit })
    return {
      document: entryOf(document, groups),
      passages: passages.map((one) => ({ ...one, text: scrubber.text(one.text) })),
    }
  })
}

export async function searchDocuments(
  { source, scrubber }: DocumentPlace,
  { org = LOCAL, groups, text, limit }: Queries["search-documents"],
): Promise<Outcome<Answers["search-documents"]>> {
  const question = { text, limit, rights: { org, groups: groups ?? ("all" as const) }, sets: [] }
  try {
    const found = await source.explain(question)
    if (found === undefined) return ok({ minFit: MIN_FIT, hasVectors: false, words: [], passages: [] })
    const passages = found.passages.map((one) => {
      return { ...one, text: scrubber.text(one.text), snippet: scrubber.text(one.snippet) }
    })
    return ok({ ...found, passages })
  } catch (fault) {
    return indexRefusal(fault)
  }
}

function reading<Value>(path: string, none: Value, read: (database: Database) => Value): Outcome<Value> {
  try {
    const database = openForReading(path)
    if (database === undefined) return ok(none)
    try {
      return ok(read(database))
    } finally {
      database.close()
    }
  } catch (fault) {
    return indexRefusal(fault)
  }
}

function indexRefusal(fault: unknown) {
  if (fault instanceof IndexFault || fault instanceof ModelUnavailable)
    return refused({ code: "config.bad", what: fault.message })
  throw fault
}

/** Only the owner is told where on the computer a document was read from. */
function entryOf(document: ListedDocument, groups: Readers["groups"]): DocumentEntry {
  const { org, name, title, source, url, passages, bytes, addedAt, language, sets, audience } = document
  return {
    org,
    name,
    title,
    kind: url === undefined ? (kindOfName(name) ?? "text") : (kindOfName(name) ?? "html"),
    ...(groups === undefined ? { source } : {}),
    ...(url === undefined ? {} : { url }),
    passages,
    bytes,
    addedAt,
    language,
    sets,
    ...(audience === undefined ? {} : { audience }),
  }
}
