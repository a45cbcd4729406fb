// What people saw of the newest turns of a session, without reading what came before: its cost does not grow with the
// length of the history. It begins at the end of an older turn, so that nothing is shown in halves.
import type { SessionId } from "../contract/ids.ts"
import type { EventLog, Outcome } from "../log/event-log.ts"
import { ok } from "../log/outcome.ts"
import { emptyTranscript, foldTranscript, type Transcript, type TranscriptItem } from "../projection/transcript.ts"
import type { SessionState } from "../session/state.ts"

const pageSize = 1000
const usualTurns = 50

export interface Tail {
  /** The cursor from which everything else follows. */
  readonly seq: number
  readonly items: readonly TranscriptItem[]
  /** Whether there is more before it. */
  readonly earlier: boolean
}

export async function readTail(
  log: EventLog,
  sessionId: SessionId,
  state: SessionState,
  turns: number = usualTurns,
): Promise<Outcome<Tail>> {
  const { seq } = state
  const start = state.turnEnds.at(-(turns + 1)) ?? 0
  const transcript = emptyTranscript()
  for (let after = start; after < seq;) {
    const page = await log.read(sessionId, after, Math.min(pageSize, seq - after))
    if (page.kind === "refused") return page
    for (const recorded of page.value) foldTranscript(transcript, recorded)
    after = page.value.at(-1)?.seq ?? seq
  }
  return ok({ seq, items: [...transcript.items, ...waitingSince(state, transcript)], earlier: start > 1 })
}

/** Prompts that wait for longer than that are there all the same. */
function waitingSince(state: SessionState, { items }: Transcript): readonly TranscriptItem[] {
  const shown = new Set(items.map((item) => (item.kind === "user" ? item.promptId : undefined)))
  const older = emptyTranscript()
  for (const event of state.waiting.filter(({ promptId }) => !shown.has(promptId)))
    foldTranscript(older, { seq: state.seq, at: items.at(-1)?.at ?? 0, event })
  return older.items
}
