// The documents in PostgreSQL as the ranking reads them. The ranking is synchronous: what it reads and is not loaded yet is
// noted and loaded after it, and the ranking is repeated, until nothing is missing.
import type { Queries } from "../../postgres/database.ts"
import { numberIn, textIn, textOrNothingIn } from "../../postgres/row.ts"
import type { RightsClass } from "../index/classes.ts"
import { DocumentTable } from "../search/document-table.ts"
import type { Near, PassageRow, SearchReader } from "../search/search-reader.ts"
import { isLanguage, languages as allLanguages, type Language } from "../text/languages.ts"
import type { ClassDocuments } from "./class-cache.ts"
import { countsOfWords, postingsIn, postingsOfWords, type Ranks } from "./occurrences.ts"
import { lexemeOf } from "./words.ts"

/** What is loaded before the ranking begins. */
export interface Loaded {
  readonly classes: readonly RightsClass[]
  readonly documents: ReadonlyMap<number, ClassDocuments>
  /** Passages of the sets of the question. */
  readonly inSets: ReadonlySet<number>
  readonly near: ReadonlyMap<number, readonly Near[]>
  readonly ranks: Ranks
}

interface Word {
  readonly lexeme: string
  readonly classId: number
}

interface TitledPassage {
  readonly passage: PassageRow
  readonly title: string
}

/** Rounds of loading: counts, postings and passages, with some more for an explanation. */
const MAX_ROUNDS = 20

export class PagedReader implements SearchReader {
  readonly #queries: Queries
  readonly #loaded: Loaded
  readonly #counts = new Map<string, number>()
  readonly #postings = new Map<string, readonly Uint8Array[]>()
  readonly #passages = new Map<number, TitledPassage | undefined>()
  readonly #missingCounts = new Map<string, Word>()
  readonly #missingPostings = new Map<string, Word>()
  readonly #missingPassages = new Set<number>()

  constructor(queries: Queries, loaded: Loaded) {
    this.#queries = queries
    this.#loaded = loaded
  }

  async complete<Value>(rank: () => Value): Promise<Value> {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const value = rank()
      if (!(await this.#load())) return value
    }
    throw new Error("a search reads more and more documents")
  }

  inTransaction<Value>(read: () => Value): Value {
    return read()
  }

  allowed(): readonly RightsClass[] {
    return this.#loaded.classes
  }

  passagesWith(classId: number, term: string): number {
    const lexeme = lexemeOf(classId, term)
    const known = this.#counts.get(lexeme)
    if (known === undefined) this.#missingCounts.set(lexeme, { lexeme, classId })
    return known ?? 1 // as if it were a word of the documents, which needs no further look
  }

  postings(classId: number, term: string): readonly Uint8Array[] {
    if (this.#missingCounts.size > 0) return [] // they decide which words are looked up
    const lexeme = lexemeOf(classId, term)
    const known = this.#postings.get(lexeme)
    if (known !== undefined) return known
    if (this.#counts.get(lexeme) !== 0) this.#missingPostings.set(lexeme, { lexeme, classId })
    return []
  }

  passage(id: number): PassageRow | undefined {
    return this.#titled(id)?.passage
  }

  titleOf(passage: number): string {
    return this.#titled(passage)?.title ?? ""
  }

  languages(classes: readonly RightsClass[]): readonly Language[] {
    const found = new Set(classes.flatMap(({ id }) => this.#loaded.documents.get(id)?.languages ?? []))
    return allLanguages.filter((language) => found.has(language))
  }

  documents(classes: readonly RightsClass[]): DocumentTable {
    const spans = new Map<number, ClassDocuments>()
    for (const { id } of classes) {
      const documents = this.#loaded.documents.get(id)
      if (documents !== undefined) spans.set(id, documents)
    }
    return new DocumentTable(spans)
  }

  inSets(): ReadonlySet<number> {
    return this.#loaded.inSets
  }

  nearest({ id }: RightsClass): readonly Near[] {
    return this.#loaded.near.get(id) ?? []
  }

  #titled(id: number): TitledPassage | undefined {
    if (!this.#passages.has(id)) this.#missingPassages.add(id)
    return this.#passages.get(id)
  }

  /** False if nothing was missing. */
  async #load(): Promise<boolean> {
    if (this.#missingCounts.size > 0) await this.#loadCounts()
    else if (this.#missingPostings.size > 0) await this.#loadPostings()
    else if (this.#missingPassages.size > 0) await this.#loadPassages()
    else return false
    return true
  }

  async #loadCounts(): Promise<void> {
    const words = taken(this.#missingCounts)
    for (const { lexeme } of words) this.#counts.set(lexeme, 0)
    const rows = await this.#queries.query(countsOfWords, parametersOf(words))
    for (const row of rows) this.#counts.set(textIn(row, "lexeme"), numberIn(row, "found"))
  }

  async #loadPostings(): Promise<void> {
    const words = taken(this.#missingPostings)
    for (const { lexeme } of words) this.#postings.set(lexeme, [])
    const rows = await this.#queries.query(postingsOfWords, [...parametersOf(words), this.#loaded.ranks])
    for (const row of rows) this.#postings.set(textIn(row, "lexeme"), [postingsIn(textIn(row, "found"))])
  }

  async #loadPassages(): Promise<void> {
    const ids = [...this.#missingPassages]
    this.#missingPassages.clear()
    for (const id of ids) this.#passages.set(id, undefined)
    const classes = this.#loaded.classes.map(({ id }) => id)
    const rows = await this.#queries.query(
      `select one.id, ordinal, heading, text, name, url, language, title from turnhouse.passages as one
       join turnhouse.documents on documents.id = one.document
       where one.id = any($1::bigint[]) and one.class = any($2::integer[])`,
      [ids, classes],
    )
    for (const row of rows) {
      const language = textIn(row, "language")
      const passage = {
        id: numberIn(row, "id"),
        name: textIn(row, "name"),
        url: textOrNothingIn(row, "url"),
        ordinal: numberIn(row, "ordinal"),
        heading: textIn(row, "heading"),
        text: textIn(row, "text"),
        language: isLanguage(language) ? language : ("en" as const),
      }
      this.#passages.set(passage.id, { passage, title: textIn(row, "title") })
    }
  }
}

function taken(missing: Map<string, Word>): readonly Word[] {
  const words = [...missing.values()]
  missing.clear()
  return words
}

function parametersOf(words: readonly Word[]) {
  return [words.map(({ lexeme }) => lexeme), words.map(({ classId }) => classId)]
}
