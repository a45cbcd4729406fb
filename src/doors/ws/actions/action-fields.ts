// The visit that an action names, or the answer that it is not there.
import type { ClientAction } from "../../../protocols/ws/codec.ts"
import type { Connection } from "../connection.ts"
import type { Visit } from "../conversation-access.ts"

export async function visitOf(connection: Connection, action: ClientAction): Promise<Visit | undefined> {
  const sessionId = requiredWords(connection, action, "sessionId")
  if (sessionId === undefined) return undefined
  const visit = await connection.registry.visit(sessionId)
  if (visit === undefined)
    connection.fail(action.requestId, "SESSION_NOT_FOUND", `session '${shortened(sessionId)}' not found`)
  return visit
}

/** Nothing when it is missing; that has been answered then. */
export function requiredWords(connection: Connection, action: ClientAction, name: string): string | undefined {
  const words = action.members.words(name)
  if (words === undefined) connection.fail(action.requestId, "VALIDATION_ERROR", `'${name}' is required`)
  return words
}

/** Ids of clients are given back as they came, but not without end. */
export function shortened(id: string): string {
  return id.slice(0, 100).toWellFormed()
}
