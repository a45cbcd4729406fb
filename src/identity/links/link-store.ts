// The valid share links, and the signed-in browsers of the owner. A link that is not in the store is revoked, at once and
// in every process, also for connected clients.
import type { Link } from "./link-key.ts"

/** The asynchronous methods throw `StoreFault` if the store cannot be used. */
export interface LinkStore {
  add(link: Link): Promise<void>
  has(id: string): Promise<boolean>
  /** Whether a link that `has` found in this process is still there. Called with each frame, so it must be cheap. */
  isStillThere(id: string): boolean
  /** Newest first, without expired ones. */
  list(): Promise<readonly Link[]>
  /** False if there is no such link. */
  revoke(id: string): Promise<boolean>
  close(): Promise<void>
}
