// Interactions: a call asks the visitor for values and waits. Like an approval, an interaction is stored, survives a
// crash and has one outcome; the answer is the result of the call. An invalid answer leaves it open.
import { answerInteraction, expireInteraction, requestInteraction } from "./decide.ts"
import type { Feature } from "../../../session/feature.ts"
import type { InteractionsState } from "./state.ts"

export const interactions = {
  initial: { interactions: [] },
  commands: { answer: answerInteraction },
  reports: { "call-interacts": requestInteraction, "interaction-expired": expireInteraction },
  evolve: {
    "interaction.requested": (state, { interactionId: id, callId, kind, spec, expiresAt }) => ({
      interactions: [...state.interactions, { id, callId, kind, spec, expiresAt }],
    }),
    "interaction.answered": (state, { interactionId }) => ({
      interactions: state.interactions.filter(({ id }) => id !== interactionId),
    }),
  },
  calls: { "interaction.requested": (_, { callId }) => ({ id: callId, phase: "asked" }) },
  progress: ["interaction.answered"],
  effects: (state) =>
    state.interactions.flatMap(({ id, expiresAt: at }) =>
      at === undefined ? [] : [{ type: "expire-interaction", id: `expire:${id}`, interactionId: id, at }],
    ),
  interrupt: (state) =>
    state.interactions.map(({ id }) => ({ type: "interaction.answered", interactionId: id, outcome: "void" })),
  activity: (state) => (state.interactions.length > 0 ? "waiting for the visitor" : undefined),
} satisfies Feature<InteractionsState>
