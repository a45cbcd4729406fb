// The use of accounts on the other nodes, as they published it.
import type { AccountUse } from "./shared-use.ts"

export interface PublishedUse extends AccountUse {
  readonly node: string
}

/** A change of what the other nodes use together. */
export type OnOthersUse = (account: string, active: number, frames: number) => void

interface Known {
  active: number
  frames: number
  readAt: number
}

interface NodeUse {
  /** The newest publication that was read. */
  publication: number
  readonly accounts: Map<string, Known>
}

/** Readings after which an account that is not active is forgotten: longer than its node remembers it. */
const KEPT = 60

export class OthersUse {
  readonly #nodes = new Map<string, NodeUse>()
  readonly #onChange: OnOthersUse
  #readings = 0

  constructor(onChange: OnOthersUse) {
    this.#onChange = onChange
  }

  /** The newest publication read of each node. */
  get read(): readonly { readonly node: string; readonly publication: number }[] {
    return [...this.#nodes].map(([node, { publication }]) => ({ node, publication }))
  }

  /** `alive`: the newest publication of each node that still publishes. `uses`: what is new in them. */
  update(alive: ReadonlyMap<string, number>, uses: readonly PublishedUse[]): void {
    this.#readings += 1
    for (const node of this.#nodes.keys()) if (!alive.has(node)) this.#remove(node)
    const known = new Set(this.#nodes.keys())
    for (const [node, publication] of alive) this.#node(node).publication = publication
    for (const use of uses) this.#apply(use, known.has(use.node))
    if (this.#readings % KEPT === 0) this.#forget()
  }

  /** The other nodes count as unused until they are read again. */
  clear(): void {
    for (const node of this.#nodes.keys()) this.#remove(node)
  }

  #node(node: string): NodeUse {
    const known = this.#nodes.get(node) ?? { publication: 0, accounts: new Map<string, Known>() }
    this.#nodes.set(node, known)
    return known
  }

  /** The frames of a node that is new here were taken at any time: only later ones count. */
  #apply({ node, account, active, frames }: PublishedUse, wasKnown: boolean): void {
    const { accounts } = this.#node(node)
    const before = accounts.get(account)
    accounts.set(account, { active, frames, readAt: this.#readings })
    const counted = before !== undefined && frames >= before.frames ? before.frames : 0
    this.#onChange(account, active - (before?.active ?? 0), wasKnown ? frames - counted : 0)
  }

  #remove(node: string): void {
    const { accounts } = this.#node(node)
    this.#nodes.delete(node)
    for (const [account, { active }] of accounts) if (active > 0) this.#onChange(account, -active, 0)
  }

  #forget(): void {
    for (const { accounts } of this.#nodes.values())
      for (const [account, { active, readAt }] of accounts)
        if (active === 0 && this.#readings - readAt >= KEPT) accounts.delete(account)
  }
}
