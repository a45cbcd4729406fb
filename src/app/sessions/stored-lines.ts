// Reads stored events page by page: as lines, byte for byte, or decoded.
import type { Recorded } from "../../contract/events.ts"
import type { SessionId } from "../../contract/ids.ts"
import type { EventLog, StoredLine, StreamedStep } from "../../log/event-log.ts"
import { accepted } from "../app-fault.ts"

const pageSize = 500

export async function* storedLines(log: EventLog, sessionId: SessionId, after: number): AsyncGenerator<StoredLine> {
  for (let seq = after; ;) {
    const page = accepted(await log.readLines(sessionId, seq, pageSize))
    yield* page.value
    const last = page.value.at(-1)
    if (last === undefined) return
    seq = last.seq
  }
}

/** The events after one and up to another. */
export async function* storedEvents(
  log: EventLog,
  sessionId: SessionId,
  after: number,
  upTo: number,
): AsyncGenerator<Recorded> {
  for (let seq = after; seq < upTo;) {
    const page = accepted(await log.read(sessionId, seq, Math.min(pageSize, upTo - seq)))
    yield* page.value
    seq = page.value.at(-1)?.seq ?? upTo
  }
}

/** Text that was streaming when its host died. None is known of a session that a newer release has written. */
export async function streamedText(log: EventLog, sessionId: SessionId): Promise<readonly StreamedStep[]> {
  const loaded = await log.load(sessionId)
  if (loaded.kind === "refused" && loaded.refusal.code === "session.newer") return []
  return accepted(loaded).value.streamed
}
