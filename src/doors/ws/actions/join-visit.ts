// Watches the conversation of a visit.
import type { Connection, Joined } from "../connection.ts"

/** Undefined if the visit does not exist for this caller, or its session cannot be opened. */
export async function joinVisit(connection: Connection, visitId: string): Promise<Joined | undefined> {
  const visit = await connection.access.visit(visitId)
  const joined = visit === undefined ? undefined : await connection.join(visit.sessionId)
  return joined === undefined || "code" in joined ? undefined : joined
}
