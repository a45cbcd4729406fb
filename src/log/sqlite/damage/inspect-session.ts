// Checks one session's chain: reports missing, altered and unreadable events and continues after them. An event of a
// newer version is not damage, nor is one stored during the inspection.
import { firstHash, nextHash } from "../../chain.ts"
import type { Damage, StoredLine } from "../../event-log.ts"
import type { Connection } from "../connection.ts"
import { findHead, type StoredHead } from "../directory.ts"
import { readLine, readPage } from "../reads/lines.ts"
import { decode } from "../../verified-read.ts"
import { readStreamed } from "../reads/streamed.ts"

/** Consecutive lost events that are reported one by one; after that one report covers the rest. */
const namedInARow = 1000

export class Inspection {
  readonly damage: Damage[] = []
  readonly #connection: Connection
  readonly #number: number
  readonly #sessionId: string
  #head: StoredHead | undefined
  #last: number
  #seq = 0
  #lostInARow = 0
  /** Possible hashes of the previous event; empty (unknown) after a lost one. */
  #previous: readonly string[]

  constructor(connection: Connection, number: number, sessionId: string) {
    this.#connection = connection
    this.#number = number
    this.#sessionId = sessionId
    this.#previous = [firstHash(sessionId)]
    const head = findHead(connection, sessionId)
    if (head === undefined) this.#report(0, "its directory entry is missing")
    if (head instanceof Error) this.#report(0, head.message)
    this.#head = head instanceof Error ? undefined : head
    this.#last = this.#head?.seq ?? newestReadable(connection, number)
  }

  /** Inspects the next page; false at the end. */
  next(): boolean {
    if (this.#seq < this.#last) {
      this.#page()
      return true
    }
    return this.#connection.atOnce(() => {
      if (this.#hasGrown()) return true
      this.#checkAfterLast()
      const { fault } = readStreamed(this.#connection, this.#number)
      if (fault !== undefined) this.#report(this.#seq, `the streamed text after it is damaged (${fault.message})`)
      return false
    })
  }

  /** Events were stored during the inspection. */
  #hasGrown(): boolean {
    const head = this.#head === undefined ? undefined : findHead(this.#connection, this.#sessionId)
    if (head === undefined || head instanceof Error || head.seq <= this.#last) return false
    this.#head = head
    this.#last = head.seq
    return true
  }

  #page(): void {
    const { lines, problem } = readPage(this.#connection, this.#number, this.#seq, this.#last)
    for (const line of lines) this.#checkLine(line)
    if (problem !== undefined) this.#onLost(problem)
  }

  #onLost(problem: string): void {
    this.#seq += 1
    this.#lostInARow += 1
    this.#previous = []
    if (this.#lostInARow <= namedInARow) return this.#report(this.#seq, problem)
    this.#report(this.#seq, `${problem}, and so are all after it up to ${this.#last}`)
    this.#seq = this.#last
  }

  #checkLine(line: StoredLine): void {
    const computed = this.#previous.map((hash) => nextHash(hash, line.text))
    const isLinked = computed.length === 0 || computed.includes(line.hash)
    if (isLinked) this.#checkShape(line)
    else this.#report(line.seq, "its bytes were altered")
    this.#seq = line.seq
    this.#lostInARow = 0
    // If only an event's hash was altered and not its text, the next event still follows the original hash.
    this.#previous = isLinked ? [line.hash] : [line.hash, ...computed.slice(0, 1)]
  }

  #checkShape(line: StoredLine): void {
    const event = decode(this.#sessionId, line)
    if (event.kind === "refused" && event.refusal.code === "session.damaged") this.#report(line.seq, event.refusal.what)
  }

  #checkAfterLast(): void {
    const seq = this.#seq + 1
    const afterLast = readLine(this.#connection, this.#number, seq)
    if (this.#head !== undefined) this.#compareWith(this.#head)
    else if (afterLast instanceof Error) this.#report(seq, "it cannot be read, and it is unknown how many follow")
    if (this.#head !== undefined && afterLast !== undefined && !(afterLast instanceof Error))
      this.#report(seq, "it is stored, but not counted in the directory")
  }

  #compareWith(head: StoredHead): void {
    const isNamed = this.damage.some(({ seq }) => seq === head.seq)
    if (!isNamed && this.#lostInARow === 0 && !this.#previous.includes(head.hash))
      this.#report(head.seq, "it is not the event that was stored last")
  }

  #report(seq: number, what: string): void {
    this.damage.push({ sessionId: this.#sessionId, seq, what })
  }
}

/** Without a directory entry the number of events is unknown: searches across gaps of limited width. */
function newestReadable(connection: Connection, number: number): number {
  let newest = 0
  for (let seq = 1; seq <= newest + namedInARow; seq++) {
    const line = readLine(connection, number, seq)
    if (line !== undefined && !(line instanceof Error)) newest = seq
  }
  return newest
}
