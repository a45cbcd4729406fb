import type { Budget } from "../../contract/values.ts"

export interface BudgetState {
  readonly spent: Spent
  readonly budget: Budget
}

export interface Spent {
  readonly usd: number
  readonly tokens: number
}
