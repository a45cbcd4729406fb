// Standing permissions of all sessions of this home. A permission is stored in the session in which it was given, and
// revoked there.
import type { Refusal } from "../../contract/refusals.ts"
import type { Grant } from "../../contract/values.ts"
import type { EventLog } from "../../log/event-log.ts"
import { readFolds } from "../../runner/read-folds.ts"
import { listSessions, type ListedSession } from "../../app/sessions/sessions.ts"
import { oneLine } from "../../contract/text/text.ts"

export interface GivenGrant {
  readonly grant: Grant
  readonly session: ListedSession
}

export interface GivenGrants {
  readonly grants: readonly GivenGrant[]
  readonly unreadable: readonly Refusal[]
}

export async function givenGrants(log: EventLog): Promise<GivenGrants> {
  const sessions = (await listSessions(log)).filter(({ status }) => status.turns > 0)
  const grants: GivenGrant[] = []
  const unreadable: Refusal[] = []
  for (const session of sessions) {
    const folds = await readFolds(log, session.row.sessionId)
    if (folds.kind === "ok") grants.push(...folds.value.state.grants.map((grant) => ({ grant, session })))
    else unreadable.push(folds.refusal)
  }
  return { grants, unreadable }
}

export function grantSentence(
  { tool, pattern, scope }: Omit<Grant, "grantId">,
  cwd: string,
  sessionId: string,
): string {
  const where = scope === "folder" ? `in every session in ${cwd}` : `in session ${sessionId}`
  return oneLine(`${tool} runs without approval ${where} if its main argument matches '${pattern}'`, Infinity)
}

export function grantAsJson({ grant, session }: GivenGrant) {
  const { grantId: id, ...rest } = grant
  return { id, ...rest, sessionId: session.row.sessionId, cwd: session.status.cwd }
}
