// The money and tokens of a tree of sessions. The worst case of a model call is reserved before it starts and given
// back when its real cost is known, so that sessions of one tree that work side by side cannot overspend together.
// What has been spent is in the sessions' logs; here is only who is open, below whom, and what is reserved. A child is
// counted by itself until its parent has stored its end with its cost, and from that very moment by its parent alone.
import type { SessionId } from "../contract/ids.ts"
import type { Budget, Usage } from "../contract/values.ts"
import type { ModelChoice } from "../models/model-source.ts"
import type { SessionState } from "../session/state.ts"

export type Reservation =
  | { readonly kind: "reserved"; release(): void }
  | { readonly kind: "refused"; readonly message: string }

interface Amount {
  readonly usd: number
  readonly tokens: number
}

interface Account {
  state: SessionState
  reserved: Amount
}

const nothing: Amount = { usd: 0, tokens: 0 }

export class Ledger {
  readonly #accounts = new Map<SessionId, Account>()

  /** What a session has spent counts from the moment it is stored, and so does a budget that was raised. */
  note(state: SessionState): void {
    this.#accountOf(state)
  }

  /** The session is not open any more. */
  forget(sessionId: SessionId): void {
    this.#accounts.delete(sessionId)
  }

  /** `inputTokens` is an estimate of what will be sent; the output is counted at the most it can be. */
  reserve(state: SessionState, choice: ModelChoice, inputTokens: number): Reservation {
    const account = this.#accountOf(state)
    const root = this.#rootOf(account)
    const { budget } = root.state // the root's word counts for all
    if (budget.usd === undefined && budget.tokens === undefined) return { kind: "reserved", release: () => {} }
    const usage = worstCase(inputTokens, choice.maxOutput)
    const needed = { usd: choice.costUsd(usage), tokens: usage.input + usage.output }
    const message = problem(budget, this.#usedBelow(root), choice.name, needed)
    if (message !== undefined) return { kind: "refused", message }
    return hold(account, { usd: needed.usd ?? 0, tokens: needed.tokens })
  }

  #accountOf(state: SessionState): Account {
    if (state.created === undefined) throw new Error("a session spends nothing before it exists")
    const { sessionId } = state.created
    const account = this.#accounts.get(sessionId) ?? { state, reserved: nothing }
    account.state = state
    this.#accounts.set(sessionId, account)
    return account
  }

  #rootOf(account: Account): Account {
    const parent = this.#accounts.get(account.state.created?.parent?.sessionId ?? "")
    return parent === undefined || hasCounted(parent, account) ? account : this.#rootOf(parent)
  }

  #usedBelow(root: Account): Amount {
    const tree = [...this.#accounts.values()].filter((account) => this.#rootOf(account) === root)
    return tree.flatMap(({ state, reserved }) => [state.spent, reserved]).reduce(add, nothing)
  }
}

/** A child that is spoken to after its end is a matter of its own. */
function hasCounted(parent: Account, child: Account): boolean {
  return parent.state.endedChildren.some(({ id }) => id === child.state.created?.sessionId)
}

function problem(
  budget: Budget,
  used: Amount,
  model: string,
  needed: { usd: number | undefined; tokens: number },
): string | undefined {
  if (budget.tokens !== undefined && used.tokens + needed.tokens > budget.tokens) {
    return `The budget of ${budget.tokens} tokens has no room for the next model call (${used.tokens} used, up to ${needed.tokens} needed).`
  }
  if (budget.usd === undefined) return undefined
  if (needed.usd === undefined) {
    if (budget.tokens !== undefined) return undefined
    return `There is a budget in USD, but no price is known for ${model}. Set budget.tokensPerTree as well.`
  }
  if (used.usd + needed.usd <= budget.usd) return undefined
  return `The budget of ${budget.usd} USD has no room for the next model call (${used.usd.toFixed(4)} spent, up to ${needed.usd.toFixed(4)} needed).`
}

function hold(account: Account, amount: Amount): Reservation {
  account.reserved = add(account.reserved, amount)
  let held = true
  const release = () => {
    if (held) account.reserved = add(account.reserved, { usd: -amount.usd, tokens: -amount.tokens })
    held = false
  }
  return { kind: "reserved", release }
}

function add(a: Amount, b: Amount): Amount {
  return { usd: a.usd + b.usd, tokens: a.tokens + b.tokens }
}

/** Everything that is sent might be written to a cache at its dearest; nothing is read from one. */
function worstCase(input: number, output: number): Usage {
  return { input, output, cacheRead: 0, cacheWrite5m: input, cacheWrite1h: 0, reasoning: 0 }
}
