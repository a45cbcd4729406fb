// What the nodes of a cluster tell each other about the use of accounts.

/** Of one account on one node: a caller or an organisation. */
export interface AccountUse {
  /** The account's name on all nodes: a digest, since it may be an address. */
  readonly account: string
  /** The open connections of a caller, or the running turns of an organisation. */
  readonly active: number
  /** Taken since the node began to count them. */
  readonly frames: number
}

/** `unavailable`: PostgreSQL cannot be reached. */
export type SessionTake = "taken" | "used-up" | "unavailable"

/** How the allowances of a node are shared. */
export interface SharedUse {
  nameOf(account: string): string
  nameOfOrg(org: string): string
  /** From both or from none. */
  takeSession(name: string, orgName: string | undefined): Promise<SessionTake>
  setActive(name: string, active: number): void
  tookFrame(name: string): void
}
