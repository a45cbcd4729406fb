// The order of the session list. Ids decide between equal times: later ids are of later sessions.
import type { SessionRow } from "./event-log.ts"

export function newestFirst(one: SessionRow, other: SessionRow): number {
  return other.updatedAt - one.updatedAt || (one.sessionId < other.sessionId ? 1 : -1)
}
