// What the nodes of a cluster tell each other about the use of accounts.

/** Of one account on one node. */
export interface AccountUse {
  /** The account's name on all nodes: a digest, since it may be an address. */
  readonly account: string
  /** Open now. */
  readonly connections: number
  /** Taken since the node began to count them. */
  readonly frames: number
}

/** `unavailable`: PostgreSQL cannot be reached. */
export type SessionTake = "taken" | "used-up" | "unavailable"

/** How the allowances of a node are shared. */
export interface SharedUse {
  nameOf(account: string): string
  takeSession(name: string): Promise<SessionTake>
  connected(name: string, connections: number): void
  tookFrame(name: string): void
}
