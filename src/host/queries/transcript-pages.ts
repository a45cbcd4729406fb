// Pages of a session's transcript: its newest turns, or older ones read backwards from a position in the log. A page has
// whole turns, and its cost does not depend on the length of the history.
import type { Recorded } from "../../contract/events.ts"
import type { SessionId, PromptId } from "../../contract/ids.ts"
import type { TranscriptPage } from "../../contract/views/transcript.ts"
import { ok, type EventLog, type Outcome } from "../../log/event-log.ts"
import { emptyTranscript, foldTranscript, type Transcript, type TranscriptItem } from "../../projection/transcript.ts"
import type { PromptMark, SessionState } from "../../session/state.ts"
import { pagesBackwards } from "../../runner/read-folds.ts"

const pageSize = 1000
export const usualTurns = 50

export async function readLatestTurns(
  log: EventLog,
  sessionId: SessionId,
  state: SessionState,
  turns: number = usualTurns,
): Promise<Outcome<TranscriptPage>> {
  const { seq } = state
  const start = state.turnEnds.at(-(turns + 1)) ?? 0
  const transcript = emptyTranscript()
  for (let after = start; after < seq;) {
    const page = await log.read(sessionId, after, Math.min(pageSize, seq - after))
    if (page.kind === "refused") return page
    for (const recorded of page.value) {
      const earlier = waitedSince(state, transcript, recorded)
      const admitted = earlier === undefined ? ok([]) : await log.read(sessionId, earlier.seq - 1, 1)
      if (admitted.kind === "refused") return admitted
      for (const one of [...admitted.value, recorded]) foldTranscript(transcript, one)
    }
    after = page.value.at(-1)?.seq ?? seq
  }
  return ok({ seq, start, items: [...transcript.items, ...waitingSince(state, transcript)], earlier: start > 1 })
}

/** Positions of prompts that belong to these turns and were admitted before them. */
function waitedSince(state: SessionState, { items }: Transcript, { event }: Recorded): PromptMark | undefined {
  if (event.type !== "prompt.promoted") return undefined
  const isShown = items.some((item) => item.kind === "user" && item.promptId === event.promptId)
  return isShown ? undefined : state.prompts.find(({ id }) => id === event.promptId)
}

/** Queued prompts are included however old they are. */
function waitingSince(state: SessionState, { items }: Transcript): readonly TranscriptItem[] {
  const shown = new Set(items.map((item) => (item.kind === "user" ? item.promptId : undefined)))
  const older = emptyTranscript()
  for (const event of state.waiting.filter(({ promptId }) => !shown.has(promptId)))
    foldTranscript(older, { seq: state.seq, at: items.at(-1)?.at ?? 0, event })
  return older.items
}

/**
 * The turns up to an event, oldest first, without cleared and rewound ones. `start` is the position from which earlier
 * ones can be read.
 */
export async function readEarlierTurns(
  log: EventLog,
  sessionId: SessionId,
  upTo: number,
  turns: number = usualTurns,
): Promise<Outcome<TranscriptPage>> {
  const stretch = new Stretch(turns)
  for await (const page of pagesBackwards(log, sessionId, upTo)) {
    if (page.kind === "refused") return page
    for (const recorded of page.value) if (!stretch.isWhole) stretch.take(recorded)
    if (stretch.isWhole) break
  }
  const transcript = emptyTranscript()
  for (const recorded of stretch.events.toReversed()) foldTranscript(transcript, recorded)
  return ok({ seq: upTo, start: stretch.start, items: transcript.items, earlier: stretch.start > 0 })
}

class Stretch {
  /** Newest first. */
  readonly events: Recorded[] = []
  /** The end of the previous turn; 0 if there is none. */
  start = 0
  readonly #turns: number
  #ends = 0
  #isFull = false
  /** Everything after it was rewound. */
  #leftUpTo = Infinity
  /** Prompts of these turns that were admitted before them. */
  readonly #promoted = new Set<PromptId>()

  constructor(turns: number) {
    this.#turns = turns
  }

  /** A prompt may have been queued for several turns. */
  get isWhole(): boolean {
    return this.#isFull && this.#promoted.size === 0
  }

  take(recorded: Recorded): void {
    const { seq, event } = recorded
    if (event.type === "prompt.admitted") {
      if (this.#promoted.delete(event.promptId)) this.events.push(recorded)
      return
    }
    if (this.#isFull || seq > this.#leftUpTo) return
    if (event.type === "turn.ended" && ++this.#ends > this.#turns) return this.#fill(seq)
    if (event.type === "context.cleared") return this.#fill(0)
    if (event.type === "context.rewound") this.#leftUpTo = Math.min(this.#leftUpTo, event.toSeq)
    if (event.type === "prompt.promoted") this.#promoted.add(event.promptId)
    this.events.push(recorded)
  }

  #fill(start: number): void {
    this.#isFull = true
    this.start = start
  }
}
