// Writes documents into the index. Small ones share a transaction, a large one is streamed into its own, so memory does
// not grow with the input. A document is stored completely or not at all, together with the counts of its class.
import type { DatabaseSync, StatementSync } from "node:sqlite"
import type { Audience } from "../rights.ts"
import type { Chunk } from "../text/chunker.ts"
import { analysisOf, languageOfText, passageTerms, titleOf, type DocumentAnalysis } from "../text/analysis.ts"
import { isLanguage, type Language } from "../text/languages.ts"
import { ensureClass } from "./classes.ts"
import { Postings } from "./postings.ts"
import { IndexFault, openForWriting } from "./schema.ts"
import { isBusy, statementsOf } from "./sql.ts"

/** Characters of text per transaction. */
const batchSize = 8 * 1024 * 1024

export interface NewDocument {
  readonly org: string
  /** Path relative to what was added. */
  readonly name: string
  readonly audience: Audience
  readonly sets: readonly string[]
  /** Where it was read from, and the added path it belongs to. */
  readonly source: string
  readonly root: string
  /** For web pages. */
  readonly url: string | undefined
  readonly hash: string
  readonly bytes: number
  readonly addedAt: number
}

interface KnownDocument {
  readonly id: number
  readonly name: string
  readonly title: string
  readonly language: Language
  readonly classId: number
}

interface OpenDocument {
  readonly id: number
  readonly classId: number
  readonly analysis: DocumentAnalysis | undefined
}

export class IndexWriter {
  readonly database: DatabaseSync
  readonly #postings: Postings
  readonly #sql: (text: string) => StatementSync
  #written = 0
  #isInTransaction = false

  constructor(path: string) {
    this.database = openForWriting(path)
    this.#sql = statementsOf(this.database)
    this.#postings = new Postings(this.#sql)
  }

  /** Replaces a document of the same name. Returns the number of passages. */
  async put(document: NewDocument, chunks: AsyncIterable<readonly Chunk[]>): Promise<number> {
    this.#begin()
    const isLarge = document.bytes >= batchSize
    // A failure must roll back this document only.
    if (isLarge || this.has(document.org, document.name)) this.#postings.write()
    const before = this.#newestPassage()
    this.database.exec("savepoint one_document")
    try {
      const passages = await this.#replace(document, chunks, isLarge)
      this.database.exec("release one_document")
      if (this.#written >= batchSize) this.flush()
      return passages
    } catch (fault) {
      if (!this.database.isTransaction) throw this.#lost(fault)
      this.database.exec("rollback to one_document; release one_document")
      this.#postings.forget(before)
      throw fault
    }
  }

  has(org: string, name: string): boolean {
    return this.#sql("select 1 from documents where org = ? and name = ?").get(org, name) !== undefined
  }

  /** False if there is no such document. */
  remove(org: string, name: string): boolean {
    this.#begin()
    const row = this.#sql("select id, class, title, language from documents where org = ? and name = ?").get(org, name)
    if (row === undefined) return false
    const language = isLanguage(row["language"]) ? row["language"] : "en"
    this.#delete({ id: Number(row["id"]), name, title: String(row["title"]), language, classId: Number(row["class"]) })
    return true
  }

  /** Gives an unchanged document to another source. */
  move(org: string, name: string, { source, root }: Pick<NewDocument, "source" | "root">): void {
    this.#begin()
    this.#sql("update documents set source = ?, root = ? where org = ? and name = ?").run(source, root, org, name)
  }

  /** Makes everything written so far searchable. */
  flush(): void {
    if (this.#isInTransaction) {
      try {
        this.#postings.write()
        this.database.exec("commit")
      } catch (fault) {
        if (this.database.isTransaction) this.database.exec("rollback")
        throw this.#lost(fault)
      }
    }
    this.#isInTransaction = false
    this.#written = 0
  }

  close(): void {
    try {
      this.flush()
    } finally {
      this.database.close()
    }
  }

  /** The open transaction has been rolled back, as on a full disk: the index is as it was after the last flush. */
  #lost(fault: unknown): unknown {
    this.#isInTransaction = false
    this.#written = 0
    this.#postings.forget(0)
    return fault
  }

  #begin(): void {
    if (this.#isInTransaction) return
    beginWriting(this.database)
    this.#isInTransaction = true
  }

  async #replace(document: NewDocument, chunks: AsyncIterable<readonly Chunk[]>, isLarge: boolean): Promise<number> {
    const { org, name, audience, sets, source, root, url, hash, bytes, addedAt } = document
    this.remove(org, name)
    const classId = ensureClass(this.database, org, audience)
    const { lastInsertRowid } = this.#sql(
      `insert into documents (org, name, class, source, root, url, hash, bytes, added_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ).run(org, name, classId, source, root, url ?? null, hash, bytes, addedAt)
    const id = Number(lastInsertRowid)
    for (const set of new Set(sets)) this.#sql("insert into document_sets (document, name) values (?, ?)").run(id, set)
    let analysis: DocumentAnalysis | undefined
    let ordinal = 0
    let terms = 0
    let nextWrite = this.#written + batchSize
    for await (const some of chunks) {
      analysis ??= this.#analyse(id, name, some)
      for (const chunk of some) terms += this.#passage({ id, classId, analysis }, ordinal++, chunk)
      if (!isLarge || this.#written < nextWrite) continue
      this.#postings.write() // bounds memory for a large document
      nextWrite = this.#written + batchSize
    }
    this.#recordPassages(id, ordinal)
    this.#count(classId, ordinal, terms)
    return ordinal
  }

  /** Title and language come from the beginning of the document. Undefined while it has no text. */
  #analyse(id: number, name: string, beginning: readonly Chunk[]): DocumentAnalysis | undefined {
    if (beginning.length === 0) return undefined
    const language = languageOfText(beginning.map(({ text }) => text).join("\n"))
    const title = titleOf(beginning)
    this.#sql("update documents set language = ?, title = ? where id = ?").run(language, title, id)
    return analysisOf(name, title, language)
  }

  #passage({ id, classId, analysis }: OpenDocument, ordinal: number, { headings, text }: Chunk): number {
    if (analysis === undefined) return 0
    const heading = headings.join(" › ")
    const terms = passageTerms(analysis, heading, text)
    const length = terms.body.length
    const { lastInsertRowid } = this.#sql(
      "insert into passages (document, class, ordinal, heading, text, terms) values (?, ?, ?, ?, ?, ?)",
    ).run(id, classId, ordinal, heading, text, length)
    this.#postings.add(classId, Number(lastInsertRowid), terms)
    this.#written += text.length
    return length
  }

  /** The passages of a document have consecutive numbers, because one process writes at a time. */
  #recordPassages(id: number, passages: number): void {
    this.#sql("update documents set first_passage = ?, passages = ? where id = ?").run(
      this.#newestPassage() - passages + 1,
      passages,
      id,
    )
  }

  #delete(known: KnownDocument): void {
    const { id, name, classId } = known
    const analysis = analysisOf(name, known.title, known.language)
    const terms = new Set<string>()
    const passages = new Set<number>()
    let length = 0
    for (const row of this.#sql("select id, heading, text, terms from passages where document = ?").iterate(id)) {
      const found = passageTerms(analysis, String(row["heading"]), String(row["text"]))
      for (const term of Object.values(found).flat()) terms.add(term)
      passages.add(Number(row["id"]))
      length += Number(row["terms"])
    }
    this.#postings.remove(classId, terms, passages)
    this.#sql("delete from documents where id = ?").run(id)
    this.#count(classId, -passages.size, -length)
  }

  #newestPassage(): number {
    return Number(this.#sql("select seq from sqlite_sequence where name = 'passages'").get()?.["seq"] ?? 0)
  }

  #count(classId: number, passages: number, terms: number): void {
    this.#sql("update classes set passages = passages + ?, terms = terms + ?, changes = changes + 1 where id = ?").run(
      passages,
      terms,
      classId,
    )
  }
}

function beginWriting(database: DatabaseSync): void {
  try {
    database.exec("begin immediate")
  } catch (fault) {
    throw isBusy(fault)
      ? new IndexFault("another process is writing to the index. Try again later", { cause: fault })
      : fault
  }
}
