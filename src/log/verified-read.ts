// Reads the events of one session page by page and checks them against the hash chain. A missing, altered or unreadable event
// ends the read with a refusal that names it.
import { setImmediate } from "node:timers/promises"
import type { Recorded } from "../contract/events.ts"
import { decodeEvent } from "../contract/stored-event.ts"
import { firstHash, nextHash } from "./chain.ts"
import { ok, refused, type Outcome, type Refused, type StoredLine } from "./event-log.ts"

/** The newest event of a session as the directory has it. */
export interface ChainHead {
  readonly sessionId: string
  readonly seq: number
  readonly hash: string
}

export interface Page {
  /** Consecutive events. */
  readonly lines: readonly StoredLine[]
  /** Why there is no line: the next event is missing or cannot be read. */
  readonly problem: string | undefined
}

/** Reads events after `afterSeq`, at least one, and none after `upTo`. */
export type ReadPage = (afterSeq: number, upTo: number) => Page | Promise<Page>

export type Take<Item> = (sessionId: string, line: StoredLine) => Outcome<Item>

export function asLine(_: string, line: StoredLine): Outcome<StoredLine> {
  return ok(line)
}

export function decode(sessionId: string, { seq, text }: StoredLine): Outcome<Recorded> {
  const decoded = decodeEvent(text)
  if (decoded.kind === "broken") return damaged(sessionId, seq, decoded.what)
  if (decoded.kind === "event") return ok(decoded.recorded)
  const { type, version, known } = decoded
  return refused({ code: "session.newer", sessionId, seq, type, version, known })
}

interface Place {
  readonly seq: number
  readonly hash: string
}

export async function readVerified<Item>(
  readPage: ReadPage,
  head: ChainHead,
  from: number,
  upTo: number,
  take: Take<Item>,
): Promise<Outcome<readonly Item[]>> {
  const items: Item[] = []
  for await (const page of verifiedPages(readPage, head, from, upTo)) {
    if (page.kind === "refused") return page
    for (const line of page.value) {
      const item = take(head.sessionId, line)
      if (item.kind === "refused") return item
      items.push(item.value)
    }
  }
  return ok(items)
}

/** Ends after the first refusal. */
export async function* verifiedPages(
  readPage: ReadPage,
  head: ChainHead,
  from: number,
  upTo: number,
): AsyncGenerator<Outcome<readonly StoredLine[]>, void> {
  if (from >= upTo) return
  let place = await startAt(readPage, head, from)
  while (place.kind === "ok" && place.value.seq < upTo) {
    if (place.value.seq > from) await setImmediate()
    const page = await readPage(place.value.seq, upTo)
    place = follow(head, place.value, page)
    if (place.kind === "ok") yield ok(page.lines)
  }
  if (place.kind === "refused") yield place
}

export function damaged(sessionId: string, seq: number, what: string): Refused {
  return refused({ code: "session.damaged", sessionId, seq, what })
}

/** The place after the page's last line, or the first damage on the page. */
function follow({ sessionId, ...head }: ChainHead, from: Place, page: Page): Outcome<Place> {
  let { seq, hash } = from
  if (page.problem !== undefined) return damaged(sessionId, seq + 1, page.problem)
  for (const line of page.lines) {
    if (line.hash !== nextHash(hash, line.text)) return damaged(sessionId, line.seq, "its bytes were altered")
    seq = line.seq
    hash = line.hash
  }
  if (seq === head.seq && hash !== head.hash) return damaged(sessionId, seq, "it is not the event that was stored last")
  return ok({ seq, hash })
}

async function startAt(readPage: ReadPage, { sessionId }: ChainHead, seq: number): Promise<Outcome<Place>> {
  if (seq === 0) return ok({ seq, hash: firstHash(sessionId) })
  const { lines, problem = "it is missing" } = await readPage(seq - 1, seq)
  const [line] = lines
  return line === undefined ? damaged(sessionId, seq, problem) : ok({ seq, hash: line.hash })
}
