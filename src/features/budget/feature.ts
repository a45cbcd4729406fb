// The budget of a session: what it may spend, and what was spent so far, its ended agents included.
import type { CommandOf } from "../../contract/commands.ts"
import type { EventOf } from "../../contract/events.ts"
import type { Usage } from "../../contract/values.ts"
import { accepted, type Decision, type Stamp } from "../../session/decision.ts"
import type { Feature } from "../../session/feature.ts"
import type { SessionState } from "../../session/state.ts"
import type { BudgetState, Spent } from "./state.ts"

interface Charge {
  readonly usage?: Usage | undefined
  readonly costUsd?: number | undefined
}

export const budget = {
  initial: { spent: { usd: 0, tokens: 0 }, budget: {} },
  commands: { "raise-budget": raiseBudget },
  evolve: {
    "session.created": (_, created) => ({ budget: created.budget }),
    "budget.raised": (_, event) => ({ budget: event.budget }),
    "response.ended": ({ spent }, event) => ({ spent: addCharge(addCharge(spent, event), event.aside ?? {}) }),
    "workflow.judged": ({ spent }, event) => ({ spent: addCharge(spent, event) }),
    "sampling.ended": ({ spent }, event) => ({ spent: addCharge(spent, event) }),
    "context.compacted": ({ spent }, event) => ({ spent: addCharge(spent, event) }),
    "child.ended": ({ spent }, { costUsd, tokens }: EventOf<"child.ended">) => ({
      spent: { usd: spent.usd + costUsd, tokens: spent.tokens + tokens },
    }),
  },
} satisfies Feature<BudgetState>

/** A turn that was parked for lack of budget resumes. */
function raiseBudget(state: SessionState, command: CommandOf<"raise-budget">, { by }: Stamp): Decision {
  const raised = { type: "budget.raised", budget: command.budget, by } as const
  if (state.turn?.parked?.why !== "budget") return accepted(raised)
  return accepted(raised, { type: "turn.resumed", turnId: state.turn.id, by })
}

function addCharge({ usd, tokens }: Spent, { usage, costUsd = 0 }: Charge): Spent {
  return { usd: usd + costUsd, tokens: tokens + (usage === undefined ? 0 : usage.input + usage.output) }
}
