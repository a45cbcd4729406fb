// Keeps the count of running turns per organisation, from the events of the sessions of a host. The sub-agents of a session
// are part of its turn.
import type { SessionHost } from "../../host/session-host.ts"
import type { OrgTurns } from "../../identity/allowances/org-turns.ts"
import type { SessionActor } from "../../runner/session-actor.ts"
import { hasRunningTurn } from "../running-turn.ts"

export function followTurns(host: Pick<SessionHost, "onSession">, turns: OrgTurns): () => void {
  return host.onSession((session) => follow(session, turns))
}

function follow(session: SessionActor, turns: OrgTurns): void {
  const { created } = session.state
  if (created === undefined || created.parent !== undefined) return
  let isHere = true
  const update = () => turns.setRunning(created.org, session.id, isHere && hasRunningTurn(session.state))
  update()
  session.watch((item) => {
    if (item.kind === "lost") isHere = false
    if (item.kind !== "delta") update()
  })
}
