// The folds of a session, wherever it is: of the live session if it is open in this host, else read from the log.
import type { SessionId } from "../../contract/ids.ts"
import { ok, type Outcome } from "../../log/event-log.ts"
import { readFolds } from "../../runner/read-folds.ts"
import type { SessionActor } from "../../runner/session-actor.ts"
import type { SessionFolds } from "../../runner/snapshot.ts"
import type { SessionHost } from "../session-host.ts"

export async function foldsOf(host: SessionHost, sessionId: SessionId): Promise<Outcome<SessionFolds>> {
  const session = await openInThisHost(host, sessionId)
  return session === undefined ? readFolds(host.log, sessionId) : ok(session)
}

export async function openInThisHost(host: SessionHost, sessionId: SessionId): Promise<SessionActor | undefined> {
  const opened = await host.opened(sessionId)
  return opened.kind === "opened" ? opened.session : undefined
}
