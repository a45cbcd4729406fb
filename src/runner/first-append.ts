// The append that creates a session: its first event without secrets, and its row in the directory.
import type { EventOf } from "../contract/events.ts"
import type { Append } from "../log/event-log.ts"
import { foldStatus, noStatus } from "../projection/status.ts"
import { scrubEvents } from "./scrub-events.ts"
import type { Scrubber } from "./session-context.ts"

export function firstAppend(created: EventOf<"session.created">, scrubber: Scrubber, at: number): Append {
  const events = scrubEvents([created], scrubber, new Map())
  const status = events.map((event) => ({ seq: 1, at, event })).reduce(foldStatus, noStatus)
  return { sessionId: created.sessionId, expectedSeq: 0, at, events, summary: { ...status } }
}
