// For tests: a session brought to a state by events, and a stamp that needs no clock.
import type { EventOf, SessionEvent } from "../contract/events.ts"
import type { Stamp } from "./decision.ts"
import { evolve } from "./evolve.ts"
import { initialState, type SessionState } from "./state.ts"

export const you = { principal: "you", door: "test" }

export const created: EventOf<"session.created"> = {
  type: "session.created",
  sessionId: "01890000-0000-7000-8000-000000000001",
  origin: "test",
  org: "local",
  owner: "you",
  preset: "careful",
  cwd: "/folder",
  model: "offline/demo",
  toolMode: "Smart",
  limits: { stepsPerTurn: 5, depth: 2, children: 2 },
  budget: {},
}

export function given(...events: readonly SessionEvent[]): SessionState {
  return [created, ...events].reduce(
    (state, event) => evolve(state, { seq: state.seq + 1, at: 0, event }),
    initialState,
  )
}

export function after(state: SessionState, events: readonly SessionEvent[]): SessionState {
  return events.reduce((current, event) => evolve(current, { seq: current.seq + 1, at: 0, event }), state)
}

export function stamp(change: Partial<Stamp> = {}): Stamp {
  return { at: 1000, id: "1", by: you, streamed: [], ...change }
}
