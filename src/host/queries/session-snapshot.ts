// A session at one moment, for a client that joins; everything after `seq` comes through its watch.
import type { EventOf } from "../../contract/events.ts"
import type { SessionId } from "../../contract/ids.ts"
import type { SessionSnapshot } from "../../contract/views/session-snapshot.ts"
import { ok, type Outcome } from "../../log/event-log.ts"
import { openChildApprovals } from "../../features/agent-tree/state.ts"
import type { SessionState } from "../../session/state.ts"
import type { SessionHost } from "../session-host.ts"
import { readLatestTurns } from "./transcript-pages.ts"
import { foldsOf, openInThisHost } from "./open-folds.ts"

export async function sessionSnapshot(
  host: SessionHost,
  sessionId: SessionId,
  turns?: number,
): Promise<Outcome<SessionSnapshot>> {
  const folds = await foldsOf(host, sessionId)
  if (folds.kind === "refused") return folds
  const { state, status, tasks } = folds.value
  const { references } = folds.value.context
  const latest = await readLatestTurns(host.log, sessionId, state, turns)
  if (latest.kind === "refused") return latest
  const { toolMode, marks, plan } = state
  const children = state.children.map(({ id }) => id)
  const shells = state.shells.map(({ id, command }) => ({ id, command }))
  const restSeq = lastRestSeq(state)
  const hintsReferences = (await openInThisHost(host, sessionId))?.services.hintsReferences === true
  const requests = await readChildRequests(host, sessionId, state)
  if (requests.kind === "refused") return requests
  const now = { status, plan, references, hintsReferences, toolMode, tasks, marks, children, shells, restSeq }
  return ok({ ...latest.value, ...now, asked: requests.value })
}

/** The newest end of a turn before which no queued prompt was sent. */
function lastRestSeq({ turnEnds, waiting, prompts }: SessionState): number {
  const oldest = prompts.find(({ id }) => id === waiting[0]?.promptId)
  return turnEnds.findLast((seq) => oldest === undefined || seq < oldest.seq) ?? 0
}

/** Requests of descendants; the state has only their position in the log. */
async function readChildRequests(
  { log }: SessionHost,
  sessionId: SessionId,
  state: SessionState,
): Promise<Outcome<EventOf<"child.asked">[]>> {
  const requests: EventOf<"child.asked">[] = []
  for (const { seq } of openChildApprovals(state)) {
    const read = await log.read(sessionId, seq - 1, 1)
    if (read.kind === "refused") return read
    for (const { event } of read.value) if (event.type === "child.asked") requests.push(event)
  }
  return ok(requests)
}
