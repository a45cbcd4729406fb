// The session that a query is about.
import type { SessionId } from "./ids.ts"
import type { QueryType } from "./queries.ts"

/** Undefined for a query about the host or all sessions. */
export function sessionOfQuery(query: { readonly type: QueryType }): SessionId | undefined {
  return "sessionId" in query && typeof query.sessionId === "string" ? query.sessionId : undefined
}
