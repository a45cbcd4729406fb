// Places in the log of a session that a timeline stops at. Pure.
import type { Recorded } from "../../contract/events.ts"

/** Events after which the session was at rest: places to rewind to. */
const rests = new Set<string>([
  "session.created",
  "turn.ended",
  "context.cleared",
  "context.compacted",
  "plan.entered",
  "plan.exited",
])

export interface RewindPlace {
  readonly toSeq: number
  /** Turns that would be hidden. */
  readonly turns: number
}

/** The newest place at or before the first `count` events. */
export function rewindPlace(events: readonly Recorded[], count: number): RewindPlace | undefined {
  const at = events.slice(0, count).findLastIndex(({ event }) => rests.has(event.type))
  const place = events[at]
  if (place === undefined) return undefined
  const turns = events.slice(at + 1).filter(({ event }) => event.type === "turn.started").length
  return { toSeq: place.seq, turns }
}

/** The number of events up to the end of the next or the previous turn. */
export function turnStep(events: readonly Recorded[], count: number, by: 1 | -1): number {
  const found =
    by === 1
      ? events.findIndex((recorded, at) => at >= count && isEnd(recorded))
      : events.slice(0, count - 1).findLastIndex(isEnd)
  return found < 0 ? (by === 1 ? events.length : 1) : found + 1
}

function isEnd({ event }: Recorded): boolean {
  return event.type === "turn.ended"
}
