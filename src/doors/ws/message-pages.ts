// Pages through the messages of a conversation, newest first, back to the first event of the log. The transcript is read
// in chunks of turns; the chunk of each recent cursor is cached, so that the next page does not start at the newest.
import type { HostPort } from "../../contract/host-port.ts"
import type { SessionId } from "../../contract/ids.ts"
import type { MessagePage } from "../../protocols/ws/frames.ts"
import { pageOf, rowChunk, type RowChunk } from "../../protocols/ws/message-rows.ts"
import { setBounded } from "./sent-messages.ts"

/** Turns per query. */
const CHUNK_TURNS = 100
/** Cached cursors. The chunk of an older one is searched again. */
const MAX_CURSORS = 100

interface PlacedChunk extends RowChunk {
  /** The end of the query; undefined for the newest chunk. */
  readonly before: number | undefined
}

export class MessagePages {
  readonly #port: HostPort
  readonly #chunkOfCursor = new Map<string, number | undefined>()

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
    if (next !== undefined) setBounded(this.#chunkOfCursor, next, chunk?.before, MAX_CURSORS)
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
      const turns = CHUNK_TURNS
      const found = await (before === undefined
        ? this.#port.query({ type: "scene", sessionId, turns })
        : this.#port.query({ type: "transcript", sessionId, turns, before }))
      if (found.kind === "refused") return
      const chunk = rowChunk(sessionId, found.value)
      yield { ...chunk, before }
      if (!chunk.earlier) return
      before = chunk.start
    }
  }
}

function pageIn(read: readonly RowChunk[], limit: number, cursor: string | undefined): MessagePage | undefined {
  return pageOf(
    read.flatMap(({ rows }) => rows),
    limit,
    cursor,
  )
}
