// Answers queries about the documents of a home. Whose documents a client may see is decided before (doors/house); here the
// index, or PostgreSQL, is asked for exactly those. Known secrets in texts are not shown.
import type { Answers, Queries } from "../../contract/queries.ts"
import type { DocumentEntry } from "../../contract/views/documents.ts"
import { kindOfName } from "../../knowledge/extract/kinds.ts"
import {
  documentRow,
  documentRows,
  passageTexts,
  type DocumentRows,
  type ListedDocument,
  type PassageText,
  type Readers,
} from "../../knowledge/index/document-pages.ts"
import { IndexFault, openForReading } from "../../knowledge/index/schema.ts"
import { MIN_FIT } from "../../knowledge/search/search.ts"
import { ok, refused, type Outcome } from "../../log/event-log.ts"
import { ModelUnavailable } from "../../models/model-source.ts"
import { DatabaseFault } from "../../postgres/database-fault.ts"
import type { TextScrubber } from "../../tools/tool.ts"
import type { HomeDocuments } from "../settings/knowledge.ts"

/** The organisation of sessions that are started on this computer. */
const LOCAL = "local"

export interface DocumentPlace {
  /** The index file; where documents are in PostgreSQL, `source` has them. */
  readonly path: string
  readonly source: HomeDocuments
  readonly scrubber: TextScrubber
}

type LocalDatabase = NonNullable<ReturnType<typeof openForReading>>
type SharedDatabase = NonNullable<Awaited<ReturnType<HomeDocuments["database"]>>>

export async function documentPage(
  place: DocumentPlace,
  { org, groups, filter = "", offset = 0, limit }: Queries["documents"],
): Promise<Outcome<Answers["documents"]>> {
  const page = { filter, offset, limit }
  const found = await reading<DocumentRows>(place, noDocuments, {
    ofIndex: (database) => documentRows(database, { org, groups }, page),
    ofDatabase: async (database) => (await sharedPages()).documentRows(database, { org, groups }, page),
  })
  if (found.kind === "refused") return found
  return ok({ ...found.value, documents: found.value.documents.map((one) => entryOf(one, groups)), offset })
}

export async function documentText(
  place: DocumentPlace,
  { org, groups, name, from = 0, limit }: Queries["document"],
): Promise<Outcome<Answers["document"]>> {
  const readers = { org, groups }
  const found = await reading<OpenedDocument | undefined>(place, undefined, {
    ofIndex: (database) => {
      const document = documentRow(database, readers, name)
      return document && { document, passages: passageTexts(database, document, { from, limit }) }
    },
    ofDatabase: async (database) => {
      const pages = await sharedPages()
      const document = await pages.documentRow(database, readers, name)
      return document && { document, passages: await pages.passageTexts(database, document, { from, limit }) }
    },
  })
  if (found.kind === "refused") return found
  if (found.value === undefined) return ok({ passages: [] })
  const { document, passages } = found.value
  const text = (one: PassageText) => ({ ...one, text: place.scrubber.text(one.text) })
  return ok({ document: entryOf(document, groups), passages: passages.map(text) })
}

interface OpenedDocument {
  readonly document: ListedDocument
  readonly passages: readonly PassageText[]
}

const noDocuments: DocumentRows = { total: 0, matching: 0, documents: [], orgs: [] }

/** Loaded only where documents are in PostgreSQL. */
const sharedPages = () => import("../../knowledge/postgres/pages.ts")

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

interface Readings<Value> {
  readonly ofIndex: (database: LocalDatabase) => Value
  readonly ofDatabase: (database: SharedDatabase) => Promise<Value>
}

async function reading<Value>(
  { path, source }: DocumentPlace,
  none: Value,
  { ofIndex, ofDatabase }: Readings<Value>,
): Promise<Outcome<Value>> {
  try {
    const shared = await source.database()
    if (shared !== undefined) return ok(await ofDatabase(shared))
    const database = openForReading(path)
    if (database === undefined) return ok(none)
    try {
      return ok(ofIndex(database))
    } finally {
      database.close()
    }
  } catch (fault) {
    return indexRefusal(fault)
  }
}

function indexRefusal(fault: unknown) {
  if (fault instanceof IndexFault || fault instanceof ModelUnavailable || fault instanceof DatabaseFault)
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
