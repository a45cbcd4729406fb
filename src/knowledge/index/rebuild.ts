// Indexes the stored passages again, for a file of version 1: the passages are complete, but their terms are those of the
// older release. Runs in the transaction of the caller, so that readers see the old index or the new one.
import type { DatabaseSync } from "node:sqlite"
import { analysisOf, languageOfText, passageTerms } from "../text/analysis.ts"
import { Postings } from "./postings.ts"
import { statementsOf } from "./sql.ts"

/** Characters of text whose terms are in memory at once. */
const BATCH_LENGTH = 8 * 1024 * 1024
const SEPARATOR = " › "
/** Passages that decide the language of a document. */
const BEGINNING = 12

export function rebuildIndex(database: DatabaseSync): void {
  database.exec(newColumns)
  const sql = statementsOf(database)
  const postings = new Postings(sql)
  let length = 0
  for (const { id, name, classId } of documentsOf(database)) {
    const rows = sql("select id, heading, text from passages where document = ? order by id").all(id)
    const beginning = rows.slice(0, BEGINNING)
    const language = languageOfText(beginning.map((row) => String(row["text"])).join("\n"))
    const [title = ""] = String(rows.find((row) => row["heading"] !== "")?.["heading"] ?? "").split(SEPARATOR)
    const analysis = analysisOf(name, title, language)
    let terms = 0
    for (const row of rows) {
      const text = String(row["text"])
      const found = passageTerms(analysis, String(row["heading"]), text)
      postings.add(classId, Number(row["id"]), found)
      sql("update passages set terms = ? where id = ?").run(found.body.length, Number(row["id"]))
      terms += found.body.length
      length += text.length
    }
    sql("update documents set language = ?, title = ?, first_passage = ?, passages = ? where id = ?").run(
      language,
      title,
      Number(rows[0]?.["id"] ?? 0),
      rows.length,
      id,
    )
    sql("update classes set terms = terms + ?, changes = changes + 1 where id = ?").run(terms, classId)
    if (length < BATCH_LENGTH) continue
    postings.write()
    length = 0
  }
  postings.write()
  database.exec("pragma user_version = 2")
}

const newColumns = `
  alter table documents add column language text not null default 'en';
  alter table documents add column title text not null default '';
  alter table documents add column first_passage integer not null default 0;
  alter table documents add column passages integer not null default 0;
  delete from postings;
  update classes set terms = 0;`

interface StoredDocument {
  readonly id: number
  readonly name: string
  readonly classId: number
}

/** In the order of their passages, which postings need. */
function documentsOf(database: DatabaseSync): readonly StoredDocument[] {
  const rows = database
    .prepare(
      `select documents.id, name, documents.class as class from documents
       left join (select document, min(id) as first from passages group by document) on document = documents.id
       order by first`,
    )
    .all()
  return rows.map((row) => ({ id: Number(row["id"]), name: String(row["name"]), classId: Number(row["class"]) }))
}
