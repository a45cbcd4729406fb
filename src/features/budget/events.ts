// What a session may spend.
import { command, durable } from "../../contract/define.ts"
import { Budget, By } from "../../contract/values.ts"

const BudgetRaised = durable("budget.raised", 1, { budget: Budget, by: By })

const RaiseBudget = command("raise-budget", { budget: Budget })

export const budgetContract = {
  events: [BudgetRaised],
  commands: [RaiseBudget],
  refusals: [],
  deltas: [],
} as const
