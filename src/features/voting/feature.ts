// Voting: several answers to the same request, of which the one that leads is taken.
import { accepted } from "../../session/decision.ts"
import type { Feature } from "../../session/feature.ts"
import type { VotingState } from "./state.ts"

export const voting = {
  initial: { voting: undefined, turnVoting: undefined },
  commands: {
    "select-voting": (_, command, { by }) => accepted({ type: "voting.selected", voting: command.voting, by }),
  },
  evolve: {
    "voting.selected": (_, event) => ({ voting: event.voting }),
    "turn.started": (state) => ({ turnVoting: state.voting }),
    "turn.ended": () => ({ turnVoting: undefined }),
  },
} satisfies Feature<VotingState>
