// Postings of all terms per class, in one or more parts per term. New postings are collected in memory and appended to the
// last part, so that a batch costs one write per term. Removed passages are removed from the lists.
import type { StatementSync } from "node:sqlite"
import type { PassageTerms } from "../text/analysis.ts"

/** A part of this size is closed, and the next one starts. */
const partBytes = 4 * 1024

/** Where a passage has a term: how often in its text, above three bits for the rest. */
const inHeading = 1
const inTitle = 2
const inName = 4
const oneMore = 8

const lastPart = "select * from postings where class = ? and term = ? order by part desc limit 1"
const parts = "select * from postings where class = ? and term = ? order by part"
const insert = "insert into postings (class, term, part, passages, newest, data) values (?, ?, ?, ?, ?, ?)"
const update = "update postings set passages = ?, newest = ?, data = ? where class = ? and term = ? and part = ?"
const remove = "delete from postings where class = ? and term = ? and part = ?"

export class Postings {
  readonly #sql: (text: string) => StatementSync
  readonly #new = new Map<number, Map<string, number[]>>()

  constructor(sql: (text: string) => StatementSync) {
    this.#sql = sql
  }

  /** Passages must come in rising order. */
  add(classId: number, passage: number, { body, heading, title, name }: PassageTerms): void {
    const lists = this.#new.get(classId) ?? new Map<string, number[]>()
    this.#new.set(classId, lists)
    const note = (terms: readonly string[], count: (before: number) => number) => {
      for (const term of terms) noteTerm(lists, term, [passage, body.length], count)
    }
    note(body, (before) => before + oneMore)
    note(heading, (before) => before | inHeading)
    note(title, (before) => before | inTitle)
    note(name, (before) => before | inName)
  }

  /** Discards postings of passages after the given one. */
  forget(after: number): void {
    for (const lists of this.#new.values()) {
      for (const [term, list] of lists) {
        while ((list.at(-3) ?? after) > after) list.length -= 3
        if (list.length === 0) lists.delete(term)
      }
    }
  }

  /** Writes within the open transaction. */
  write(): void {
    for (const [classId, lists] of this.#new) {
      for (const term of [...lists.keys()].toSorted()) this.#append(classId, term, lists.get(term) ?? [])
    }
    this.#new.clear()
  }

  remove(classId: number, terms: ReadonlySet<string>, passages: ReadonlySet<number>): void {
    this.write()
    for (const term of terms) {
      for (const row of this.#sql(parts).all(classId, term)) {
        const { part, passages: before, data } = partOf(row)
        const kept = without(data, passages)
        if (kept.length < before * 3) this.#replace(classId, term, part, kept)
      }
    }
  }

  #append(classId: number, term: string, numbers: PostingNumbers): void {
    const row = this.#sql(lastPart).get(classId, term)
    const last = row === undefined ? undefined : partOf(row)
    const newest = numbers.at(-3) ?? 0
    const count = numbers.length / 3
    if (last === undefined || last.data.byteLength >= partBytes) {
      this.#sql(insert).run(classId, term, (last?.part ?? 0) + 1, count, newest, encodePostings(numbers, 0))
      return
    }
    const data = Buffer.concat([last.data, encodePostings(numbers, last.newest)])
    this.#sql(update).run(last.passages + count, newest, data, classId, term, last.part)
  }

  #replace(classId: number, term: string, part: number, kept: PostingNumbers): void {
    const newest = kept.at(-3)
    if (newest === undefined) this.#sql(remove).run(classId, term, part)
    else this.#sql(update).run(kept.length / 3, newest, encodePostings(kept, 0), classId, term, part)
  }
}

function noteTerm(
  lists: Map<string, number[]>,
  term: string,
  [passage, length]: readonly [number, number],
  count: (before: number) => number,
): void {
  const list = lists.get(term)
  const last = list === undefined ? -1 : list.length - 3
  if (list === undefined) lists.set(term, [passage, count(0), length])
  else if (list[last] === passage) list[last + 1] = count(list[last + 1] ?? 0)
  else list.push(passage, count(0), length)
}

function without(data: Uint8Array, passages: ReadonlySet<number>): PostingNumbers {
  const kept: number[] = []
  readNumbers(data, (passage, places, length) => {
    if (!passages.has(passage)) kept.push(passage, places, length)
  })
  return kept
}

interface Part {
  readonly part: number
  readonly passages: number
  readonly newest: number
  readonly data: Uint8Array
}

function partOf(row: Record<string, unknown>): Part {
  const data = row["data"]
  if (!(data instanceof Uint8Array)) throw new Error("a list of postings is damaged")
  return { part: Number(row["part"]), passages: Number(row["passages"]), newest: Number(row["newest"]), data }
}

/** In memory a flat array, because there are millions: passage number, places of the term and passage length of each. */
type PostingNumbers = readonly number[]

/**
 * Delta-encoded varints in rising order, so that a list can be appended to. `after` is its last passage, 0 for a new list.
 */
export function encodePostings(numbers: PostingNumbers, after: number): Uint8Array {
  if (buffer.length < numbers.length * MAX_VARINT) buffer = new Uint8Array(numbers.length * MAX_VARINT * 2)
  let before = after
  let end = 0
  for (let at = 0; at < numbers.length; at += 3) {
    const passage = numbers[at] ?? 0
    end = write(end, passage - before)
    end = write(end, numbers[at + 1] ?? 0)
    end = write(end, numbers[at + 2] ?? 0)
    before = passage
  }
  return buffer.slice(0, end)
}

/** Bytes of the largest number, and where numbers are encoded. */
const MAX_VARINT = 8
let buffer = new Uint8Array(64 * 1024)

export interface Posting {
  readonly passage: number
  /** How often the text of the passage has the term. */
  readonly count: number
  readonly isInHeading: boolean
  readonly isInTitle: boolean
  readonly isInName: boolean
  /** Terms of the text. */
  readonly length: number
}

/** The posting is changed for the next call: lists are long. */
export function readPostings(data: Uint8Array, take: (posting: Posting) => void): void {
  const posting = { passage: 0, count: 0, isInHeading: false, isInTitle: false, isInName: false, length: 0 }
  readNumbers(data, (passage, places, length) => {
    posting.passage = passage
    posting.count = Math.floor(places / oneMore)
    posting.isInHeading = (places & inHeading) !== 0
    posting.isInTitle = (places & inTitle) !== 0
    posting.isInName = (places & inName) !== 0
    posting.length = length
    take(posting)
  })
}

function readNumbers(data: Uint8Array, take: (passage: number, places: number, length: number) => void): void {
  let at = 0
  const next = (): number => {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = data[at++] ?? 0
      value += (byte & 127) * scale
      if (byte < 128) return value
    }
  }
  for (let passage = 0; at < data.length;) {
    passage += next()
    take(passage, next(), next())
  }
}

/** Returns where the next number begins. */
function write(start: number, value: number): number {
  let end = start
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) buffer[end++] = (rest % 128) | 128
  buffer[end++] = rest
  return end
}

/** Places other than the text of a passage. */
export interface Places {
  readonly heading?: true
  readonly title?: true
  readonly name?: true
}

/** As if the term were not in these places; a passage that has it nowhere else is left out. */
export function withoutPlaces(data: Uint8Array, { heading, title, name }: Places): Uint8Array {
  const hidden = (heading ? inHeading : 0) | (title ? inTitle : 0) | (name ? inName : 0)
  const kept: number[] = []
  readNumbers(data, (passage, places, length) => {
    const rest = places - (places & hidden)
    if (rest > 0) kept.push(passage, rest, length)
  })
  return encodePostings(kept, 0)
}
