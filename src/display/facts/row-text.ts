// A row of facts, for lists of agents, locks and programs on every client.
import type { SessionId } from "../../contract/ids.ts"
import type { Style } from "../spans.ts"

export interface RowText {
  readonly left: string
  readonly right?: string
  readonly notes?: readonly string[]
  readonly styles?: readonly Style[]
  /** The session that it is about. */
  readonly sessionId?: SessionId
}
