// A reader that can hide a part of the index from a search, so that the search itself shows what that part contributes.
import { withoutPlaces, type Places } from "../index/postings.ts"
import { IndexReader, type PassageRow } from "./index-reader.ts"

export interface Hidden {
  readonly terms?: readonly string[]
  readonly places?: Places
  /** The texts of passages, from which a search reads how near words are to each other. */
  readonly texts?: true
}

export class ExplainingReader extends IndexReader {
  #hidden: Hidden = {}

  without<Value>(hidden: Hidden, work: () => Value): Value {
    this.#hidden = hidden
    try {
      return work()
    } finally {
      this.#hidden = {}
    }
  }

  override postings(classId: number, term: string): readonly Uint8Array[] {
    const { terms, places } = this.#hidden
    if (terms?.includes(term) === true) return []
    const lists = super.postings(classId, term)
    return places === undefined ? lists : lists.map((list) => withoutPlaces(list, places))
  }

  override passage(id: number): PassageRow | undefined {
    const row = super.passage(id)
    return row !== undefined && this.#hidden.texts === true ? { ...row, text: "" } : row
  }
}
