// Older turns, read backwards from a position in the log; the cost is that of the returned turns. Cleared and rewound
// turns are left out.
import type { Recorded } from "../../contract/events.ts"
import type { PromptId, SessionId } from "../../contract/ids.ts"
import type { TranscriptPage } from "../../contract/views/transcript.ts"
import { ok, type EventLog, type Outcome } from "../../log/event-log.ts"
import { emptyTranscript, foldTranscript } from "../../projection/transcript.ts"
import { eventsBackwards } from "../../runner/read-folds.ts"
import { usualTurns } from "./latest-turns.ts"

/** The turns up to an event, oldest first. `start` is the position from which earlier ones can be read. */
export async function readEarlierTurns(
  log: EventLog,
  sessionId: SessionId,
  upTo: number,
  turns: number = usualTurns,
): Promise<Outcome<TranscriptPage>> {
  const stretch = new Stretch(turns)
  for await (const next of eventsBackwards(log, sessionId, upTo)) {
    if (next.kind === "refused") return next
    stretch.take(next.value)
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
