// Full-text search for the picker: the best match of each session. Loaded with the first search.
import type { EventLog } from "../../log/event-log.ts"
import type { FoundText } from "../search/search-index.ts"

export async function searchSessions(home: string, log: EventLog, text: string): Promise<readonly FoundText[]> {
  const { searchTexts } = await import("../search/search-index.ts")
  const found = await searchTexts(home, log, text, () => {})
  const best = new Map<string, FoundText>()
  for (const one of found) if (!best.has(one.sessionId)) best.set(one.sessionId, one)
  return [...best.values()]
}
