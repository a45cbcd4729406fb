// The newest turns of a session; the cost does not depend on the length of its history. Starts at the end of a turn, so
// that no turn is partial.
import type { Recorded } from "../../contract/events.ts"
import type { SessionId } from "../../contract/ids.ts"
import type { TranscriptPage } from "../../contract/views/transcript.ts"
import { ok, type EventLog, type Outcome } from "../../log/event-log.ts"
import { emptyTranscript, foldTranscript, type Transcript, type TranscriptItem } from "../../projection/transcript.ts"
import type { PromptMark, SessionState } from "../../session/state.ts"

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
