// Writes documents into the index. Small ones share a transaction, a large one is streamed into its own, so memory does
// not grow with the input. A document is stored completely or not at all, together with the counts of its class.
import type { DatabaseSync, SQLOutputValue, StatementSync } from "node:sqlite"
import type { Audience } from "../rights.ts"
import type { Chunk } from "../text/chunker.ts"
import { nameTerms, termsOf } from "../text/terms.ts"
import { ensureClass } from "./classes.ts"
import { Postings } from "./postings.ts"
import { IndexFault, openForWriting, statementsOf } from "./schema.ts"

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
  readonly classId: number
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
    const row = this.#sql("select id, class from documents where org = ? and name = ?").get(org, name)
    if (row === undefined) return false
    this.#delete({ id: Number(row["id"]), name, classId: Number(row["class"]) })
    return true
  }

  /** Makes everything written so far searchable. */
  flush(): void {
    if (this.#isInTransaction) {
      this.#postings.write()
      this.database.exec("commit")
    }
    this.#isInTransaction = false
    this.#written = 0
  }

  close(): void {
    this.flush()
    this.database.close()
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
    const named = nameTerms(name)
    let ordinal = 0
    let terms = 0
    let nextWrite = this.#written + batchSize
    for await (const some of chunks) {
      for (const chunk of some) terms += this.#passage(id, classId, ordinal++, chunk, named)
      if (!isLarge || this.#written < nextWrite) continue
      this.#postings.write() // bounds memory for a large document
      nextWrite = this.#written + batchSize
    }
    this.#count(classId, ordinal, terms)
    return ordinal
  }

  #passage(
    document: number,
    classId: number,
    ordinal: number,
    { headings, text }: Chunk,
    named: readonly string[],
  ): number {
    const heading = headings.join(" › ")
    const terms = [...named, ...termsOf(heading), ...termsOf(text)]
    const { lastInsertRowid } = this.#sql(
      "insert into passages (document, class, ordinal, heading, text, terms) values (?, ?, ?, ?, ?, ?)",
    ).run(document, classId, ordinal, heading, text, terms.length)
    this.#postings.add(classId, Number(lastInsertRowid), terms)
    this.#written += text.length
    return terms.length
  }

  #delete({ id, name, classId }: KnownDocument): void {
    const terms = new Set(nameTerms(name))
    const passages = new Set<number>()
    let length = 0
    for (const row of this.#sql("select id, heading, text, terms from passages where document = ?").iterate(id)) {
      for (const term of passageTerms(row)) terms.add(term)
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

/** SQLite's code for a lock held longer than the busy timeout. */
const busy = 5

function beginWriting(database: DatabaseSync): void {
  try {
    database.exec("begin immediate")
  } catch (fault) {
    const isBusy = fault instanceof Error && "errcode" in fault && fault.errcode === busy
    throw isBusy ? new IndexFault("another process is writing to the index. Try again later", { cause: fault }) : fault
  }
}

function passageTerms(row: Record<string, SQLOutputValue>): readonly string[] {
  return [...termsOf(String(row["heading"])), ...termsOf(String(row["text"]))]
}
