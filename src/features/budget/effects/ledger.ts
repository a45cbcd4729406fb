// The budget of a session tree. The worst case of a model call is reserved before it starts and released when its real
// cost is known, so that parallel sessions of one tree cannot overspend together. Spending is in the sessions' logs; the
// ledger knows only open sessions, their parents and reservations. A child counts by itself until its parent has stored
// its end and cost, and from then on only as part of its parent.
import type { SessionId } from "../../../contract/ids.ts"
import type { Budget, Usage } from "../../../contract/values.ts"
import type { ModelChoice } from "../../../models/model-source.ts"
import type { SessionState } from "../../../session/state.ts"

export type Reservation =
  | { readonly kind: "reserved"; release(): void }
  /** `waitsFor`: there would be room if other model calls had not reserved theirs. */
  | { readonly kind: "refused"; readonly message: string; readonly waitsFor?: "reservation" }

interface Amount {
  readonly usd: number
  readonly tokens: number
}

interface Account {
  state: SessionState
  reserved: Amount
  /** The newest request that was refused because of reservations; retried when there is room. */
  refused?: Request
}

interface Request {
  readonly model: string
  readonly usd: number | undefined
  readonly tokens: number
}

interface Used {
  readonly spent: Amount
  readonly reserved: Amount
}

const ZERO: Amount = { usd: 0, tokens: 0 }

export class Ledger {
  readonly #accounts = new Map<SessionId, Account>()
  readonly #waiting = new Set<() => void>()

  /** Spending and raised budgets count from the moment they are stored. */
  note(state: SessionState): void {
    this.#accountOf(state)
    this.#changed()
  }

  /** The session was closed. */
  forget(sessionId: SessionId): void {
    this.#accounts.delete(sessionId)
    this.#changed()
  }

  /**
   * Resolves when reservations of other model calls no longer block the refused request: there is room for it, or too
   * much is spent by now. Resolves at once where this process refused nothing.
   */
  async released(sessionId: SessionId, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.#waitsForOthers(sessionId)) await this.#nextChange(signal)
  }

  /** `inputTokens` is an estimate of the request; the output counts at its maximum. */
  reserve(state: SessionState, choice: ModelChoice, inputTokens: number): Reservation {
    const account = this.#accountOf(state)
    const root = this.#rootOf(account)
    const { budget } = root.state // the root's budget applies to the whole tree
    if (budget.usd === undefined && budget.tokens === undefined) return { kind: "reserved", release: () => {} }
    const usage = worstCase(inputTokens, choice.maxOutput)
    const request = { model: choice.name, usd: choice.costUsd(usage), tokens: usage.input + usage.output }
    const used = this.#usedBelow(root)
    const message = problem(budget, used, request)
    if (message === undefined) return this.#hold(account, { usd: request.usd ?? 0, tokens: request.tokens })
    if (problem(budget, { ...used, reserved: ZERO }, request) !== undefined) return { kind: "refused", message }
    account.refused = request
    return {
      kind: "refused",
      message: `${message} The turn resumes when a reservation is released.`,
      waitsFor: "reservation",
    }
  }

  #hold(account: Account, amount: Amount): Reservation {
    account.reserved = add(account.reserved, amount)
    let held = true
    const release = () => {
      if (!held) return
      held = false
      account.reserved = add(account.reserved, { usd: -amount.usd, tokens: -amount.tokens })
      this.#changed()
    }
    return { kind: "reserved", release }
  }

  #waitsForOthers(sessionId: SessionId): boolean {
    const account = this.#accounts.get(sessionId)
    if (account?.refused === undefined) return false
    const root = this.#rootOf(account)
    const used = this.#usedBelow(root)
    const { budget } = root.state
    const isFull = problem(budget, used, account.refused) !== undefined
    return isFull && problem(budget, { ...used, reserved: ZERO }, account.refused) === undefined
  }

  #nextChange(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#waiting.delete(done)
        signal.removeEventListener("abort", done)
        resolve()
      }
      this.#waiting.add(done)
      signal.addEventListener("abort", done, { once: true })
    })
  }

  #changed(): void {
    for (const done of this.#waiting) done()
  }

  #accountOf(state: SessionState): Account {
    if (state.created === undefined) throw new Error("a session spends nothing before it exists")
    const { sessionId } = state.created
    const account = this.#accounts.get(sessionId) ?? { state, reserved: ZERO }
    account.state = state
    this.#accounts.set(sessionId, account)
    return account
  }

  #rootOf(account: Account): Account {
    const parent = this.#accounts.get(account.state.created?.parent?.sessionId ?? "")
    return parent === undefined || hasCounted(parent, account) ? account : this.#rootOf(parent)
  }

  #usedBelow(root: Account): Used {
    const tree = [...this.#accounts.values()].filter((account) => this.#rootOf(account) === root)
    return {
      spent: tree.map(({ state }) => state.spent).reduce(add, ZERO),
      reserved: tree.map(({ reserved }) => reserved).reduce(add, ZERO),
    }
  }
}

/** Whether the parent's spending includes the child. A child that is prompted after its end counts by itself. */
function hasCounted(parent: Account, child: Account): boolean {
  return parent.state.endedChildren.some(({ id }) => id === child.state.created?.sessionId)
}

function problem(budget: Budget, used: Used, request: Request): string | undefined {
  const { spent, reserved } = used
  if (budget.tokens !== undefined && spent.tokens + reserved.tokens + request.tokens > budget.tokens) {
    return refusalMessage(`${budget.tokens} tokens`, spent.tokens, reserved.tokens, request.tokens)
  }
  if (budget.usd === undefined) return undefined
  if (request.usd === undefined) {
    if (budget.tokens !== undefined) return undefined
    return `There is a budget in USD, but no price is known for ${request.model}. Set budget.tokensPerTree as well.`
  }
  if (spent.usd + reserved.usd + request.usd <= budget.usd) return undefined
  return refusalMessage(`${budget.usd} USD`, spent.usd.toFixed(4), reserved.usd.toFixed(4), request.usd.toFixed(4))
}

function refusalMessage(
  budget: string,
  spent: number | string,
  reserved: number | string,
  request: number | string,
): string {
  return `The budget of ${budget} has no room for the next model call: ${spent} spent, ${reserved} reserved by other model calls, up to ${request} needed.`
}

function add(a: Amount, b: Amount): Amount {
  return { usd: a.usd + b.usd, tokens: a.tokens + b.tokens }
}

/** All input might be written to a cache at the highest price; nothing is read from one. */
function worstCase(input: number, output: number): Usage {
  return { input, output, cacheRead: 0, cacheWrite5m: input, cacheWrite1h: 0, reasoning: 0 }
}
