// The money and tokens of a tree of sessions. The worst case of a model call is reserved before it starts and given
// back when its real cost is known, so that sessions of one tree that work side by side cannot overspend together.
// What has been spent is in the sessions' logs; here is only who of a tree is at work, and what is reserved.
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

interface Tree {
  budget: Budget
  reserved: Amount
  /** Own spending and that of ended children, for each session that is at work. */
  readonly spent: Map<SessionId, Amount>
}

const nothing: Amount = { usd: 0, tokens: 0 }

export class Ledger {
  readonly #trees = new Map<SessionId, Tree>()

  /** `inputTokens` is an estimate of what will be sent; the output is counted at the most it can be. */
  reserve(state: SessionState, choice: ModelChoice, inputTokens: number): Reservation {
    const tree = this.#note(state)
    const { usd: most, tokens: mostTokens } = tree.budget
    if (most === undefined && mostTokens === undefined) return { kind: "reserved", release: () => {} }
    const usage = worstCase(inputTokens, choice.maxOutput)
    const needed = { usd: choice.costUsd(usage), tokens: usage.input + usage.output }
    const message = problem(tree, choice.name, needed)
    if (message !== undefined) return { kind: "refused", message }
    return hold(tree, { usd: needed.usd ?? 0, tokens: needed.tokens })
  }

  /** An ended session is counted by its parent from now on. */
  forget(sessionId: SessionId): void {
    for (const tree of this.#trees.values()) tree.spent.delete(sessionId)
    this.#trees.delete(sessionId)
  }

  /** What a session has spent counts from the moment it is stored. */
  spent({ created, spent }: SessionState): void {
    const rootId = created?.parent?.rootId ?? created?.sessionId
    const tree = rootId === undefined ? undefined : this.#trees.get(rootId)
    if (created !== undefined) tree?.spent.set(created.sessionId, spent)
  }

  #note({ created, spent, budget }: SessionState): Tree {
    if (created === undefined) throw new Error("a session spends nothing before it exists")
    const rootId = created.parent?.rootId ?? created.sessionId
    const tree = this.#trees.get(rootId) ?? { budget, reserved: nothing, spent: new Map() }
    if (rootId === created.sessionId) tree.budget = budget // the root's word counts for all
    tree.spent.set(created.sessionId, spent)
    this.#trees.set(rootId, tree)
    return tree
  }
}

function problem(
  { budget, reserved, spent }: Tree,
  model: string,
  needed: { usd: number | undefined; tokens: number },
): string | undefined {
  const used = [...spent.values()].reduce(add, reserved)
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

function hold(tree: Tree, amount: Amount): Reservation {
  tree.reserved = add(tree.reserved, amount)
  let held = true
  const release = () => {
    if (held) tree.reserved = add(tree.reserved, { usd: -amount.usd, tokens: -amount.tokens })
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
