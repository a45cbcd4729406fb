// Reads a session's state, status and context without opening it: claims and writes nothing, so the session may be open
// elsewhere.
import type { Recorded } from "../contract/events.ts"
import type { SessionId } from "../contract/ids.ts"
import { ok, type EventLog, type LoadedSession, type Outcome } from "../log/event-log.ts"
import { decodeSnapshot, foldAll, noFolds, type SessionFolds } from "./snapshot.ts"

const pageSize = 500
/** Smaller: what is read before the place that is looked for is read for nothing. */
const backwardsPageSize = 128

export async function readFolds(log: EventLog, sessionId: SessionId): Promise<Outcome<SessionFolds>> {
  const loaded = await log.load(sessionId)
  return loaded.kind === "refused" ? loaded : foldLoaded(log, sessionId, loaded.value)
}

export async function foldLoaded(
  log: EventLog,
  sessionId: SessionId,
  loaded: LoadedSession,
): Promise<Outcome<SessionFolds>> {
  const { snapshot, events } = loaded
  const saved = snapshot === undefined ? noFolds() : decodeSnapshot(snapshot.value)
  return saved === undefined ? foldFromTheStart(log, sessionId) : ok(foldAll(saved, events))
}

/** The events from the newest to the oldest, for what is usually found near the end. */
export async function* eventsBackwards(
  log: EventLog,
  sessionId: SessionId,
  fromSeq: number,
): AsyncGenerator<Outcome<Recorded>> {
  for await (const page of pagesBackwards(log, sessionId, fromSeq)) {
    if (page.kind === "refused") return yield page
    for (const recorded of page.value) yield ok(recorded)
  }
}

/** The same page by page, each from the newest to the oldest. */
export async function* pagesBackwards(
  log: EventLog,
  sessionId: SessionId,
  fromSeq: number,
): AsyncGenerator<Outcome<readonly Recorded[]>> {
  for (let last = fromSeq; last > 0; last -= backwardsPageSize) {
    const first = Math.max(0, last - backwardsPageSize)
    const page = await log.read(sessionId, first, last - first)
    if (page.kind === "refused") return yield page
    yield ok(page.value.toReversed())
  }
}

/** The snapshot is of another version: reads the whole log. */
async function foldFromTheStart(log: EventLog, sessionId: SessionId): Promise<Outcome<SessionFolds>> {
  for (let folds = noFolds(); ;) {
    const page = await log.read(sessionId, folds.state.seq, pageSize)
    if (page.kind === "refused") return page
    if (page.value.length === 0) return ok(folds)
    folds = foldAll(folds, page.value)
  }
}
