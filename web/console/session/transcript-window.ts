// Which items of a long transcript are in the page: those around what is shown. Counted from the newest item, so that
// turns that are read above change nothing.

export interface TranscriptWindow {
  /** Items in the page. */
  readonly shown: number
  /** Newer items that are not in the page. */
  readonly skipped: number
}

const STEP = 60
const FIRST = 80
const MAX_SHOWN = 300

export const newestWindow: TranscriptWindow = { shown: FIRST, skipped: 0 }

/** Further items above; those far below leave. */
export function grownUp({ shown, skipped }: TranscriptWindow, total: number): TranscriptWindow {
  const wanted = Math.min(shown + STEP, Math.max(0, total - skipped))
  const over = Math.max(0, wanted - MAX_SHOWN)
  return { shown: wanted - over, skipped: skipped + over }
}

/** Further items below; those far above leave. */
export function grownDown({ shown, skipped }: TranscriptWindow): TranscriptWindow {
  return { shown, skipped: Math.max(0, skipped - STEP) }
}

/** What is shown stays when newer items are added. */
export function withNewer(current: TranscriptWindow, count: number): TranscriptWindow {
  return current.skipped === 0 ? current : { ...current, skipped: current.skipped + count }
}

export function keysIn({ shown, skipped }: TranscriptWindow, keys: readonly string[]): readonly string[] {
  const end = keys.length - skipped
  return keys.slice(Math.max(0, end - shown), Math.max(0, end))
}

/** Items around one that is searched for: enough that it stays when more are shown above or below. */
const AROUND = 200

/** The item at this index, with others above and below. */
export function windowAround(index: number, total: number): TranscriptWindow {
  return { shown: AROUND, skipped: Math.max(0, total - index - AROUND / 2) }
}
