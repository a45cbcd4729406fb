// A reader that can hide a part of the index from a search, so that the search itself shows what that part contributes.
import type { RightsClass } from "../index/classes.ts"
import { withoutPlaces, type Places } from "../index/postings.ts"
import type { Rights } from "../rights.ts"
import type { PassageRow, SearchReader } from "./search-reader.ts"

export interface Hidden {
  readonly terms?: readonly string[]
  readonly places?: Places
  /** The texts of passages, from which a search reads how near words are to each other. */
  readonly texts?: true
}

export class ExplainingReader implements SearchReader {
  readonly #reader: SearchReader
  #hidden: Hidden = {}

  constructor(reader: SearchReader) {
    this.#reader = reader
  }

  without<Value>(hidden: Hidden, work: () => Value): Value {
    this.#hidden = hidden
    try {
      return work()
    } finally {
      this.#hidden = {}
    }
  }

  postings(classId: number, term: string): readonly Uint8Array[] {
    const { terms, places } = this.#hidden
    if (terms?.includes(term) === true) return []
    const lists = this.#reader.postings(classId, term)
    return places === undefined ? lists : lists.map((list) => withoutPlaces(list, places))
  }

  passage(id: number): PassageRow | undefined {
    const row = this.#reader.passage(id)
    return row !== undefined && this.#hidden.texts === true ? { ...row, text: "" } : row
  }

  inTransaction<Value>(read: () => Value): Value {
    return this.#reader.inTransaction(read)
  }

  allowed(rights: Rights) {
    return this.#reader.allowed(rights)
  }

  passagesWith(classId: number, term: string) {
    return this.#reader.passagesWith(classId, term)
  }

  titleOf(passage: number) {
    return this.#reader.titleOf(passage)
  }

  languages(classes: readonly RightsClass[]) {
    return this.#reader.languages(classes)
  }

  documents(classes: readonly RightsClass[]) {
    return this.#reader.documents(classes)
  }

  inSets(sets: readonly string[]) {
    return this.#reader.inSets(sets)
  }

  nearest(one: RightsClass, query: Int8Array, allowed: ReadonlySet<number> | undefined) {
    return this.#reader.nearest(one, query, allowed)
  }
}
