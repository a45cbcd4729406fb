// The messages of a conversation, page by page from the newest on, as far back as the log goes. It is read in pieces of
// some turns; where the pieces of the newest cursors begin is remembered, so that whoever turns pages does not begin at
// the newest message again. A cursor that is not remembered is looked for.
import type { HostPort } from "../../contract/host-port.ts"
import type { SessionId } from "../../contract/ids.ts"
import type { MessagePage, MessageRow } from "../../protocols/ws/frames.ts"
import { pageOf, rowChunk, type RowChunk } from "../../protocols/ws/message-rows.ts"

const turnsAtOnce = 100
const mostCursors = 100

interface PlacedChunk extends RowChunk {
  /** Where it was read from; absent for the newest. */
  readonly before: number | undefined
}

export class MessagePages {
  readonly #port: HostPort
  readonly #places = new Map<string, number | undefined>()

  constructor(port: HostPort) {
    this.#port = port
  }

  /** Nothing where the cursor is no message of this conversation. */
  async page(sessionId: SessionId, limit: number, cursor: string | undefined): Promise<MessagePage | undefined> {
    const read: PlacedChunk[] = []
    const from = cursor === undefined ? undefined : this.#places.get(cursor)
    for await (const chunk of this.#chunks(sessionId, from)) {
      const isBeforeCursor = read.length === 0 && cursor !== undefined && !has(chunk, cursor)
      if (!isBeforeCursor) read.push(chunk)
      if (pageIn(read, limit, cursor)?.hasMore === true) break
    }
    const page = pageIn(read, limit, cursor)
    if (typeof page?.nextCursor === "string") this.#remember(page.nextCursor, read)
    return page
  }

  async count(sessionId: SessionId): Promise<number> {
    let count = 0
    for await (const { rows } of this.#chunks(sessionId, undefined)) count += rows.length
    return count
  }

  /** From the newest to the oldest. */
  async *#chunks(sessionId: SessionId, from: number | undefined): AsyncGenerator<PlacedChunk> {
    for (let before = from; ;) {
      const turns = turnsAtOnce
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

  #remember(cursor: string, read: readonly PlacedChunk[]): void {
    this.#places.set(cursor, read.find((chunk) => has(chunk, cursor))?.before)
    const oldest = this.#places.size > mostCursors ? this.#places.keys().next() : undefined
    if (oldest?.done === false) this.#places.delete(oldest.value)
  }
}

function pageIn(read: readonly RowChunk[], limit: number, cursor: string | undefined): MessagePage | undefined {
  return pageOf(
    read.flatMap(({ rows }) => rows),
    limit,
    cursor,
  )
}

function has({ rows }: { readonly rows: readonly MessageRow[] }, id: string): boolean {
  return rows.some((row) => row.id === id)
}
