// Hibernation: a session rests, even in the middle of a turn, until it is woken.
import type { Feature } from "../../session/feature.ts"
import { hibernate, wake, withWake } from "./decide.ts"
import type { HibernationState } from "./state.ts"

export const hibernation = {
  initial: { asleep: false },
  commands: { hibernate: (state, _, stamp) => hibernate(state, stamp), wake: (state, _, stamp) => wake(state, stamp) },
  evolve: {
    "session.hibernated": () => ({ asleep: true }),
    "session.woken": () => ({ asleep: false }),
    "session.ended": () => ({ asleep: false }),
  },
  isSuspended: ({ asleep }) => asleep,
  afterDecision: withWake,
  activity: ({ asleep }) => (asleep ? "hibernated" : undefined),
} satisfies Feature<HibernationState>
