// Bounds the transcript of a window: turns that are far above the newest line are dropped, and read again from the host
// when the user scrolls there. Pure, but for the items, which change in place.
import type { Recorded } from "../../contract/events.ts"
import type { Transcript, TranscriptItem } from "../../projection/transcript.ts"

interface Bounded {
  readonly transcript: Transcript
  readonly start: number
  readonly hasEarlier: boolean
  /** Events that ended turns, oldest first: earlier turns can be read from there. */
  readonly turnEnds: readonly number[]
}

/** Items from which on the oldest are dropped, and how many stay at least. */
export const MAX_ITEMS = 1000
export const KEPT_ITEMS = 300

/** Turns before a rewind may contain what it removed: they cannot be read again from an earlier end. */
export function foldTurnEnds(ends: readonly number[], { seq, event }: Recorded): readonly number[] {
  if (event.type === "context.rewound" || event.type === "context.cleared") return []
  return event.type === "turn.ended" ? [...ends, seq] : ends
}

/** Without the oldest turns, if there are too many items. Prompts that wait belong to a later turn. */
export function trimmed<Model extends Bounded>(model: Model): Model {
  const { items } = model.transcript
  if (items.length <= MAX_ITEMS) return model
  const newest = items.filter((item) => !isWaiting(item)).at(-KEPT_ITEMS)?.seq ?? 0
  const end = model.turnEnds.findLast((seq) => seq < newest)
  if (end === undefined) return model
  items.splice(0, items.length, ...items.filter((item) => item.seq > end || isWaiting(item)))
  return { ...model, start: end, hasEarlier: true, turnEnds: model.turnEnds.filter((seq) => seq > end) }
}

function isWaiting(item: TranscriptItem): boolean {
  return item.kind === "user" && item.state === "waiting"
}
