// What a process keeps of the documents in PostgreSQL between searches: which passages belong to which document, until
// the class changes.
import type { Queries } from "../../postgres/database.ts"
import { numberIn, textIn } from "../../postgres/row.ts"
import type { RightsClass } from "../index/classes.ts"
import type { DocumentSpans } from "../search/document-table.ts"
import { isLanguage, type Language } from "../text/languages.ts"

export interface ClassDocuments extends DocumentSpans {
  readonly changes: number
  readonly languages: readonly Language[]
}

export class ClassCache {
  readonly #documents = new Map<number, ClassDocuments>()

  /** As `classes` were read in the same transaction. */
  async load(queries: Queries, classes: readonly RightsClass[]): Promise<ReadonlyMap<number, ClassDocuments>> {
    const stale = classes.filter(({ id, changes }) => this.#documents.get(id)?.changes !== changes)
    const fresh = new Map<number, ClassDocuments>()
    for (const one of stale) fresh.set(one.id, await readDocuments(queries, one))
    for (const [id, documents] of fresh) this.#documents.set(id, documents)
    const all = new Map<number, ClassDocuments>()
    for (const { id } of classes) {
      const documents = fresh.get(id) ?? this.#documents.get(id)
      if (documents !== undefined) all.set(id, documents)
    }
    return all
  }
}

async function readDocuments(queries: Queries, { id, changes }: RightsClass): Promise<ClassDocuments> {
  const rows = await queries.query(
    `select language, first_passage, passages from turnhouse.documents where class = $1 and passages > 0
     order by first_passage`,
    [id],
  )
  return {
    changes,
    first: Float64Array.from(rows, (row) => numberIn(row, "first_passage")),
    passages: Float64Array.from(rows, (row) => numberIn(row, "passages")),
    languages: [...new Set(rows.map((row) => textIn(row, "language")))].filter(isLanguage),
  }
}
