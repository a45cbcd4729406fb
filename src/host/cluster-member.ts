// What a host knows of the cluster that it is a member of.
import type { NodeIdentity } from "../log/event-log.ts"
import type { NewSession } from "./open-sessions.ts"

/** Counts what a host does as a member of a cluster. */
export interface HostMeter {
  /** `ms`: how long the store took to renew the lease. */
  renewed(ms: number): void
  /** A session that another host had left. */
  adopted(): void
  /** A session of this host was handed over to another node. */
  moved(): void
}

export interface HostedNode extends NodeIdentity {
  /** Label of the nodes that can run a new session; undefined: any. */
  placeOf(session: NewSession): string | undefined
}

/** `taken over`: another host has the lease's sessions. `cut off`: the lease could not be renewed in time. */
export type HostLoss = "taken over" | "cut off"
