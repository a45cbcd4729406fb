// Read access of a search to the index. Prepares statements once and caches the sign bits of vectors per class.
import type { DatabaseSync, SQLOutputValue, StatementSync } from "node:sqlite"
import { allowedClasses, type RightsClass } from "../index/classes.ts"
import { embedderOf, statementsOf } from "../index/schema.ts"
import type { Rights } from "../rights.ts"

export interface PassageRow {
  readonly id: number
  readonly name: string
  readonly url: string | undefined
  readonly ordinal: number
  readonly heading: string
  readonly text: string
}

/** The sign bits of all vectors of a class, and their passages. */
export interface SignBlock {
  readonly passages: readonly number[]
  readonly signs: Uint32Array
}

export class IndexReader {
  readonly #database: DatabaseSync
  readonly #sql: (text: string) => StatementSync
  readonly #blocks = new Map<number, { readonly changes: number; readonly block: SignBlock }>()

  constructor(database: DatabaseSync) {
    this.#database = database
    this.#sql = statementsOf(database)
  }

  /** Runs the reads in one transaction. */
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

  /** Number of passages of a class that contain a term. */
  passagesWith(classId: number, term: string): number {
    const sum = this.#sql("select sum(passages) as found from postings where class = ? and term = ?").get(classId, term)
    return Number(sum?.["found"] ?? 0)
  }

  /** Posting lists of a term in a class. */
  postings(classId: number, term: string): readonly Uint8Array[] {
    const rows = this.#sql("select data from postings where class = ? and term = ? order by part").all(classId, term)
    return rows.flatMap(({ data }) => (data instanceof Uint8Array ? [data] : []))
  }

  passage(id: number): PassageRow | undefined {
    const row = this.#sql(
      `select passages.id, name, url, ordinal, heading, text from passages
       join documents on documents.id = passages.document where passages.id = ?`,
    ).get(id)
    return row === undefined ? undefined : passageOf(row)
  }

  /** Passages of all documents of these sets. */
  inSets(sets: readonly string[]): ReadonlySet<number> {
    const rows = this.#sql(inSets).all(JSON.stringify(sets))
    return new Set(rows.map((row) => Number(row["id"])))
  }

  vector(passage: number): Int8Array | undefined {
    const data = this.#sql("select data from vectors where passage = ?").get(passage)?.["data"]
    return data instanceof Uint8Array ? new Int8Array(data.buffer, data.byteOffset, data.byteLength) : undefined
  }

  block({ id, changes }: RightsClass): SignBlock {
    const known = this.#blocks.get(id)
    if (known?.changes === changes) return known.block
    const block = this.#readBlock(id)
    this.#blocks.set(id, { changes, block })
    return block
  }

  close(): void {
    this.#database.close()
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
  }
}
