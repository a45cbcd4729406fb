// The thinking level of a session.
import { accepted } from "../../session/decision.ts"
import type { Feature } from "../../session/feature.ts"
import type { ThinkingState } from "./state.ts"

export const thinking = {
  initial: { thinking: undefined, turnThinking: undefined },
  commands: {
    "select-thinking": (_, { level }, { by }) => accepted({ type: "thinking.selected", level, by }),
  },
  evolve: {
    "session.created": (_, event) => ({ thinking: event.thinking }),
    "thinking.selected": (_, { level }) => ({ thinking: level }),
    "turn.started": (state) => ({ turnThinking: state.thinking }),
    "turn.ended": () => ({ turnThinking: undefined }),
  },
} satisfies Feature<ThinkingState>
