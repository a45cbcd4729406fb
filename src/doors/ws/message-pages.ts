// Pages through the messages of a conversation, newest first, back to the first event of the log. The transcript is read
// in chunks of turns. The place of the chunk of each recent cursor is cached, so that the next page does not start at the newest, and
// the chunk read last, so that it is read once for all its pages.
import type { HostPort } from "../../contract/host-port.ts"
import type { SessionId } from "../../contract/ids.ts"
import type { MessagePage } from "../../protocols/ws/frames.ts"
import { pageOf, rowChunk, type RowChunk } from "../../protocols/ws/message-rows.ts"
import { setBounded } from "./sent-messages.ts"

/** Turns per query. */
const CHUNK_TURNS = 100
/** Cached cursors. The chunk of an older one is searched again. */
const MAX_CURSORS = 100
/** A chunk with more text than this is read again for its next page. */
const MAX_KEPT_CHARACTERS = 512 * 1024

interface PlacedChunk extends RowChunk {
  /** Its end in the log. */
  readonly before: number
}

export class MessagePages {
  readonly #port: HostPort
  readonly #chunkOfCursor = new Map<string, number>()
  #kept: { readonly sessionId: SessionId; readonly chunk: PlacedChunk } | undefined

  constructor(port: HostPort) {
    this.#port = port
  }

  /** Undefined if the cursor is not a message of this conversation. */
  async page(sessionId: SessionId, limit: number, cursor: string | undefined): Promise<MessagePage | undefined> {
    const read: PlacedChunk[] = []
    const from = cursor === undefined ? undefined : this.#chunkOfCursor.get(cursor)
    for await (const chunk of this.#chunks(sessionId, from)) {
      const isNewerThanCursor = read.length === 0 && cursor !== undefined && chunk.rows.every(({ id }) => id !== cursor)
      if (!isNewerThanCursor) read.push(chunk)
      if (pageIn(read, limit, cursor)?.hasMore === true) break
    }
    const page = pageIn(read, limit, cursor)
    const next = page?.nextCursor ?? undefined
    const chunk = read.find(({ rows }) => rows.some(({ id }) => id === next))
    if (next !== undefined && chunk !== undefined) setBounded(this.#chunkOfCursor, next, chunk.before, MAX_CURSORS)
    this.#keep(sessionId, page?.hasMore === true ? read.at(-1) : undefined)
    return page
  }

  async count(sessionId: SessionId): Promise<number> {
    let count = 0
    for await (const { rows } of this.#chunks(sessionId, undefined)) count += rows.length
    return count
  }

  /** Newest first. */
  async *#chunks(sessionId: SessionId, from: number | undefined): AsyncGenerator<PlacedChunk> {
    for (let before = from; ;) {
      const chunk = this.#keptAt(sessionId, before) ?? (await this.#read(sessionId, before))
      if (chunk === undefined) return
      yield chunk
      if (!chunk.earlier) return
      before = chunk.start
    }
  }

  async #read(sessionId: SessionId, before: number | undefined): Promise<PlacedChunk | undefined> {
    const turns = CHUNK_TURNS
    const found = await (before === undefined
      ? this.#port.query({ type: "scene", sessionId, turns })
      : this.#port.query({ type: "transcript", sessionId, turns, before }))
    return found.kind === "refused"
      ? undefined
      : { ...rowChunk(sessionId, found.value), before: before ?? found.value.seq }
  }

  /** Forgotten with the last page: most clients are idle after it. */
  #keep(sessionId: SessionId, chunk: PlacedChunk | undefined): void {
    const isKept = chunk !== undefined && charactersIn(chunk) <= MAX_KEPT_CHARACTERS
    this.#kept = isKept ? { sessionId, chunk } : undefined
  }

  /** The first page is always read: there may be newer messages. */
  #keptAt(sessionId: SessionId, before: number | undefined): PlacedChunk | undefined {
    const kept = this.#kept
    return kept?.sessionId === sessionId && kept.chunk.before === before ? kept.chunk : undefined
  }
}

function charactersIn({ rows }: RowChunk): number {
  return rows.reduce((sum, { content }) => sum + content.text.length, 0)
}

function pageIn(read: readonly RowChunk[], limit: number, cursor: string | undefined): MessagePage | undefined {
  return pageOf(
    read.flatMap(({ rows }) => rows),
    limit,
    cursor,
  )
}
