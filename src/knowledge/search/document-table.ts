// The documents of the classes that a search covers, numbered from 0. The passages of a document have consecutive numbers.

/** Documents of one class by number of their first passage. */
export interface DocumentSpans {
  readonly first: Float64Array
  /** Number of passages. */
  readonly passages: Float64Array
}

export class DocumentTable {
  readonly #spans: ReadonlyMap<number, DocumentSpans>
  readonly #offsets = new Map<number, number>()
  readonly #first: Float64Array
  readonly #passages: Float64Array
  /** Passages of an average document. */
  readonly averagePassages: number

  constructor(spans: ReadonlyMap<number, DocumentSpans>) {
    this.#spans = spans
    const all = [...spans.values()]
    const count = all.reduce((sum, { first }) => sum + first.length, 0)
    this.#first = new Float64Array(count)
    this.#passages = new Float64Array(count)
    let offset = 0
    for (const [classId, { first, passages }] of spans) {
      this.#offsets.set(classId, offset)
      this.#first.set(first, offset)
      this.#passages.set(passages, offset)
      offset += first.length
    }
    this.averagePassages = Math.max(1, this.#passages.reduce((sum, some) => sum + some, 0) / Math.max(1, count))
  }

  passages(document: number): number {
    return this.#passages[document] ?? 0
  }

  isOpening(document: number, passage: number): boolean {
    return this.#first[document] === passage
  }

  /** A function that tells the document of a passage of this class. Its passages must come in rising order. */
  walk(classId: number): (passage: number) => number {
    const { first } = this.#spans.get(classId) ?? { first: new Float64Array() }
    const offset = this.#offsets.get(classId) ?? 0
    let at = 0
    return (passage) => {
      while ((first[at + 1] ?? Infinity) <= passage) at += 1
      return offset + at
    }
  }

  /** The document of any passage of these classes. */
  of(passage: number): number {
    for (const [classId, { first, passages }] of this.#spans) {
      const at = lastNotAfter(first, passage)
      if (at >= 0 && passage < (first[at] ?? 0) + (passages[at] ?? 0)) return (this.#offsets.get(classId) ?? 0) + at
    }
    return -1
  }
}

/** By bisection; -1 if all are after it. */
function lastNotAfter(rising: Float64Array, value: number): number {
  let [low, high] = [0, rising.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((rising[middle] ?? Infinity) <= value) low = middle + 1
    else high = middle
  }
  return low - 1
}
