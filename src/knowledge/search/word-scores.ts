// BM25F scores of a question: of passages, of whole documents, and of the openings of documents, which say what a document
// is about. Counts are those of exactly the passages that the searcher may find. The constants were chosen on one half of
// the questions in bench/knowledge.
import type { RightsClass } from "../index/classes.ts"
import { readPostings, type Posting } from "../index/postings.ts"
import type { DocumentTable } from "./document-table.ts"
import type { SearchReader } from "./search-reader.ts"
import type { WeightedWord } from "./query.ts"
import { ScoreSheet } from "./score-sheet.ts"
import { Tally } from "./tally.ts"

const saturation = 2
/** How much longer passages and documents count less. */
const passageLengthWeight = 0.3
const documentLengthWeight = 0.7
/** How often a word in a heading, a title or a name counts, compared to one in the text. */
const headingCount = 1
const titleCount = 7
const nameCount = 4
/** How often a word of the opening counts for its document, and each of its occurrences for the opening itself. */
const openingCount = 3
const openingRepetition = 4

/** What a passage can reach for each unit of weight. */
export const highestWordScore = saturation + 1

export interface Places {
  /** In the text. */
  readonly count: number
  readonly isInHeading: boolean
  readonly isInTitle: boolean
  readonly isInName: boolean
}

export class WordScores {
  readonly passages = new ScoreSheet()
  readonly documents = new ScoreSheet()
  readonly openings = new ScoreSheet()
  readonly #reader: SearchReader
  readonly #classes: readonly RightsClass[]
  readonly #table: DocumentTable
  readonly #averageLength: number
  readonly #inPassages = new Tally()
  readonly #inDocuments = new Tally()
  readonly #inOpenings = new Tally()

  constructor(reader: SearchReader, classes: readonly RightsClass[], table: DocumentTable) {
    this.#reader = reader
    this.#classes = classes
    this.#table = table
    this.#averageLength = averageLength(classes)
  }

  add({ terms, weight }: WeightedWord): void {
    for (const { id } of this.#classes) for (const term of terms) this.#count(id, term)
    this.#inPassages.take((passage, count) => this.passages.add(passage, weight * saturated(count), weight))
    this.#inOpenings.take((document, count) => this.openings.add(document, weight * saturated(count), weight))
    this.#inDocuments.take((document, count, places) => {
      const length = lengthFactor(this.#table.passages(document) / this.#table.averagePassages, documentLengthWeight)
      this.documents.add(document, weight * saturated(count / length + countOfPlaces(places)), weight)
    })
  }

  #count(classId: number, term: string): void {
    const documentOf = this.#table.walk(classId)
    const take = (posting: Posting) => {
      const document = documentOf(posting.passage)
      const isOpening = this.#table.isOpening(document, posting.passage)
      const length = lengthFactor(posting.length / this.#averageLength, passageLengthWeight)
      const places = placesOf(posting, isOpening && posting.count > 0)
      const elsewhere = countOfPlaces(places & ~inOpening)
      this.#inPassages.add(posting.passage, (posting.count + elsewhere) / length)
      this.#inDocuments.add(document, posting.count, places)
      if (isOpening) this.#inOpenings.add(document, (posting.count * openingRepetition + elsewhere) / length)
    }
    for (const list of this.#reader.postings(classId, term)) readPostings(list, take)
  }
}

const inHeading = 1
const inTitle = 2
const inName = 4
const inOpening = 8

function placesOf({ isInHeading, isInTitle, isInName }: Places, isInOpening: boolean): number {
  return (
    (isInHeading ? inHeading : 0) | (isInTitle ? inTitle : 0) | (isInName ? inName : 0) | (isInOpening ? inOpening : 0)
  )
}

function countOfPlaces(places: number): number {
  return (
    ((places & inHeading) === 0 ? 0 : headingCount) +
    ((places & inTitle) === 0 ? 0 : titleCount) +
    ((places & inName) === 0 ? 0 : nameCount) +
    ((places & inOpening) === 0 ? 0 : openingCount)
  )
}

function saturated(count: number): number {
  return (count * (saturation + 1)) / (count + saturation)
}

/** `length` is that of the average as 1. */
function lengthFactor(length: number, weight: number): number {
  return 1 - weight + weight * length
}

function averageLength(classes: readonly RightsClass[]): number {
  const sum = (member: "passages" | "terms") => classes.reduce((all, one) => all + one[member], 0)
  return Math.max(1, sum("terms")) / Math.max(1, sum("passages"))
}
