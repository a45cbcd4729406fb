// What a search reads of the documents. The local index and PostgreSQL implement it, so that both rank in the same way.
import type { RightsClass } from "../index/classes.ts"
import type { Rights } from "../rights.ts"
import type { Language } from "../text/languages.ts"
import type { DocumentTable } from "./document-table.ts"

export interface PassageRow {
  readonly id: number
  readonly name: string
  readonly url: string | undefined
  readonly ordinal: number
  readonly heading: string
  readonly text: string
  readonly language: Language
}

/** A passage that is near to a question in meaning. */
export interface Near {
  readonly id: number
  readonly relevance: number
  readonly fit: number
}

export interface SearchReader {
  /** Runs the reads in one transaction. */
  inTransaction<Value>(read: () => Value): Value
  allowed(rights: Rights): readonly RightsClass[]
  /** Number of passages of a class that contain a term. */
  passagesWith(classId: number, term: string): number
  /** Posting lists of a term in a class. */
  postings(classId: number, term: string): readonly Uint8Array[]
  passage(id: number): PassageRow | undefined
  /** Of the document of a passage. */
  titleOf(passage: number): string
  /** Languages of the documents of these classes. */
  languages(classes: readonly RightsClass[]): readonly Language[]
  documents(classes: readonly RightsClass[]): DocumentTable
  /** Passages of all documents of these sets. */
  inSets(sets: readonly string[]): ReadonlySet<number>
  /** `query`: a vector of the same model. `allowed`: only these passages. */
  nearest(one: RightsClass, query: Int8Array, allowed: ReadonlySet<number> | undefined): readonly Near[]
}
