// The one fold of a session's events into the state that decisions are made on. It applies the folds of the kernel and
// of every feature that has one for the event; each sees the state before the event and changes only its own part.
import type { EventOf, EventType, Recorded } from "../contract/events.ts"
import type { Feature } from "./feature.ts"
import { parts } from "./kernel.ts"
import { withCall, withTurn, type SessionState } from "./state.ts"

/** Every feature has an initial value of its part: the type of the table in features.ts says so. */
export const initialState: SessionState = Object.assign({}, ...parts.map(({ initial }) => initial))

export function evolve(state: SessionState, { seq, event }: Recorded): SessionState {
  return fold(state, event.type, event, seq)
}

function fold<Type extends EventType>(
  state: SessionState,
  type: Type,
  event: EventOf<Type>,
  seq: number,
): SessionState {
  const matchingFeatures = partsFor(type)
  const next: SessionState = { ...state, seq }
  for (const part of matchingFeatures) Object.assign(next, part.evolve?.[type]?.(state, event, seq))
  for (const part of matchingFeatures) {
    const change = part.calls?.[type]?.(state, event)
    if (change !== undefined) Object.assign(next, withCall(next, change.id, change))
    if (part.progress?.includes(type) === true) Object.assign(next, withTurn(next, { adoptions: 0 }))
  }
  return next
}

/** By type of event, looked up once: a long log is folded when its session is opened. */
const featuresByEvent = new Map<EventType, readonly Feature[]>()

function partsFor(type: EventType): readonly Feature[] {
  const known = featuresByEvent.get(type)
  if (known !== undefined) return known
  const found = parts.filter(
    ({ evolve: folds, calls, progress }) =>
      folds?.[type] !== undefined || calls?.[type] !== undefined || progress?.includes(type) === true,
  )
  featuresByEvent.set(type, found)
  return found
}
