// The open sessions of a host, as far as the parts of the host need them.
import type { EventOf } from "../contract/events.ts"
import type { SessionId } from "../contract/ids.ts"
import type { Opened } from "../runner/open-session.ts"

export type NewSession = Omit<EventOf<"session.created">, "type" | "sessionId"> & { readonly sessionId?: SessionId }

export interface OpenSessions {
  /** Refused unless the session is open here. */
  opened(sessionId: SessionId): Promise<Opened>
  open(sessionId: SessionId): Promise<Opened>
  create(session: NewSession): Promise<Opened>
  closeSession(sessionId: SessionId): Promise<void>
}
