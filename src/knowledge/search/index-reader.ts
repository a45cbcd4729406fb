// Read access of a search to the index. Prepares statements once and caches the sign bits of vectors per class.
import type { DatabaseSync, SQLOutputValue, StatementSync } from "node:sqlite"
import { allowedClasses, type RightsClass } from "../index/classes.ts"
import { embedderOf, vectorSize } from "../index/schema.ts"
import { statementsOf } from "../index/sql.ts"
import type { Rights } from "../rights.ts"
import { DocumentTable, type DocumentSpans } from "./document-table.ts"
import type { Near, PassageRow, SearchReader } from "./search-reader.ts"
import { nearestInBlock, type SignBlock } from "./vector-scan.ts"
import { isLanguage, languages as allLanguages, type Language } from "../text/languages.ts"

export class IndexReader implements SearchReader {
  readonly #database: DatabaseSync
  readonly #sql: (text: string) => StatementSync
  readonly #blocks = new Map<number, { readonly changes: number; readonly block: SignBlock }>()

  readonly #classDocuments = new Map<number, ClassDocuments>()

  constructor(database: DatabaseSync) {
    this.#database = database
    this.#sql = statementsOf(database)
  }

  inTransaction<Value>(read: () => Value): Value {
    this.#database.exec("begin")
    try {
      return read()
    } finally {
      this.#database.exec("commit")
    }
  }

  allowed(rights: Rights): readonly RightsClass[] {
    return allowedClasses(this.#database, rights)
  }

  get embedder(): string | undefined {
    return embedderOf(this.#database)
  }

  get vectorSize(): number | undefined {
    return vectorSize(this.#database)
  }

  passagesWith(classId: number, term: string): number {
    const sum = this.#sql("select sum(passages) as found from postings where class = ? and term = ?").get(classId, term)
    return Number(sum?.["found"] ?? 0)
  }

  postings(classId: number, term: string): readonly Uint8Array[] {
    const rows = this.#sql("select data from postings where class = ? and term = ? order by part").all(classId, term)
    return rows.flatMap(({ data }) => (data instanceof Uint8Array ? [data] : []))
  }

  passage(id: number): PassageRow | undefined {
    const row = this.#sql(
      `select passages.id, name, url, ordinal, heading, text, language from passages
       join documents on documents.id = passages.document where passages.id = ?`,
    ).get(id)
    return row === undefined ? undefined : passageOf(row)
  }

  titleOf(passage: number): string {
    const row = this.#sql("select title from passages join documents on documents.id = document where passages.id = ?")
    return String(row.get(passage)?.["title"] ?? "")
  }

  languages(classes: readonly RightsClass[]): readonly Language[] {
    const found = new Set(classes.flatMap((one) => this.#documents(one).languages))
    return allLanguages.filter((language) => found.has(language))
  }

  documents(classes: readonly RightsClass[]): DocumentTable {
    return new DocumentTable(new Map(classes.map((one) => [one.id, this.#documents(one)])))
  }

  inSets(sets: readonly string[]): ReadonlySet<number> {
    const rows = this.#sql(inSets).all(JSON.stringify(sets))
    return new Set(rows.map((row) => Number(row["id"])))
  }

  nearest(one: RightsClass, query: Int8Array, allowed: ReadonlySet<number> | undefined): readonly Near[] {
    return nearestInBlock(this.#block(one), (passage) => this.#vector(passage), query, allowed)
  }

  #vector(passage: number): Int8Array | undefined {
    const data = this.#sql("select data from vectors where passage = ?").get(passage)?.["data"]
    return data instanceof Uint8Array ? new Int8Array(data.buffer, data.byteOffset, data.byteLength) : undefined
  }

  #block({ id, changes }: RightsClass): SignBlock {
    const known = this.#blocks.get(id)
    if (known?.changes === changes) return known.block
    const block = this.#readBlock(id)
    this.#blocks.set(id, { changes, block })
    return block
  }

  close(): void {
    this.#database.close()
  }

  #documents({ id, changes }: RightsClass): ClassDocuments {
    const known = this.#classDocuments.get(id)
    if (known?.changes === changes) return known
    const rows = this.#sql(
      "select language, first_passage, passages from documents where class = ? and passages > 0 order by first_passage",
    ).all(id)
    const first = Float64Array.from(rows, (row) => Number(row["first_passage"]))
    const passages = Float64Array.from(rows, (row) => Number(row["passages"]))
    const languages = [...new Set(rows.map((row) => row["language"]))].filter(isLanguage)
    const documents = { changes, first, passages, languages }
    this.#classDocuments.set(id, documents)
    return documents
  }

  #readBlock(classId: number): SignBlock {
    const passages: number[] = []
    const parts: Uint8Array[] = []
    for (const row of this.#sql("select passage, bits from vectors where class = ? order by passage").iterate(
      classId,
    )) {
      const bits = row["bits"]
      if (!(bits instanceof Uint8Array)) continue
      passages.push(Number(row["passage"]))
      parts.push(bits)
    }
    const bytes = Buffer.concat(parts)
    const signs = new Uint32Array(bytes.byteLength / Uint32Array.BYTES_PER_ELEMENT)
    new Uint8Array(signs.buffer).set(bytes)
    return { passages, signs }
  }
}

interface ClassDocuments extends DocumentSpans {
  readonly changes: number
  readonly languages: readonly Language[]
}

const inSets = `select passages.id from passages join document_sets on document_sets.document = passages.document
  where document_sets.name in (select value from json_each(?))`

function passageOf(row: Record<string, SQLOutputValue>): PassageRow {
  const url = row["url"]
  return {
    id: Number(row["id"]),
    name: String(row["name"]),
    url: typeof url === "string" ? url : undefined,
    ordinal: Number(row["ordinal"]),
    heading: String(row["heading"]),
    text: String(row["text"]),
    language: isLanguage(row["language"]) ? row["language"] : "en",
  }
}
