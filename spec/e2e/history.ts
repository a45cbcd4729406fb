// Invariants of every history, however often its host was killed.
import { expect } from "vitest"
import type { CallId } from "../../src/contract/ids.ts"
import { emptyTranscript, foldTranscript } from "../../src/projection/transcript.ts"
import { evolve, initialState } from "../../src/session/evolve.ts"
import { type SessionState } from "../../src/session/state.ts"
import { eventsIn } from "./printed.ts"

/** Each event follows the one before; each call has exactly one result. */
export function expectValid(log: string): void {
  const recorded = eventsIn(log)
  expect(recorded.map(({ seq }) => seq)).toEqual(recorded.map((_, index) => index + 1))
  expect(recorded[0]?.event.type).toBe("session.created")
  const called = recorded.flatMap(({ event }) => (event.type === "tool.called" ? [event.callId] : []))
  expect(new Set(called).size).toBe(called.length)
  for (const callId of called) expect(resultsOf(log, callId)).toHaveLength(1)
}

export function resultsOf(log: string, callId: CallId): readonly string[] {
  return eventsIn(log).flatMap(({ event }) => {
    const isResult = event.type === "tool.ended" || event.type === "tool.refused" || event.type === "tool.unsettled"
    return isResult && event.callId === callId ? [event.type] : []
  })
}

export function stateOf(log: string): SessionState {
  return eventsIn(log).reduce(evolve, initialState)
}

export function expectIdle(log: string): void {
  const { turn, waiting, compaction } = stateOf(log)
  expect({ turn, waiting, compaction }).toEqual({ turn: undefined, waiting: [], compaction: undefined })
}

/** What the model said, one entry a step; a step that was continued is one. */
export function assistantTexts(log: string): readonly string[] {
  const { items } = eventsIn(log).reduce(foldTranscript, emptyTranscript())
  return items.flatMap((item) => (item.kind === "assistant" ? [item.text] : []))
}
