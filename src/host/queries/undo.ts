// Answers about undo: what it would do, and what the newest one did.
import type { SessionId } from "../../contract/ids.ts"
import type { UndoReport } from "../../contract/views/undo.ts"
import { callsEnded } from "../../features/undo/effects/track-changes.ts"
import { revertTurns } from "../../features/undo/effects/undo-files.ts"
import { rewindTarget, turnsToUndo } from "../../features/undo/feature.ts"
import { ok, refused, type Outcome } from "../../log/event-log.ts"
import type { SessionActor } from "../../runner/session-actor.ts"
import type { SessionHost } from "../session-host.ts"
import { foldsOf, openInThisHost } from "./open-folds.ts"

export async function planUndo(host: SessionHost, sessionId: SessionId, turns = 1): Promise<Outcome<UndoReport>> {
  const session = await openInThisHost(host, sessionId)
  if (session !== undefined) await callsEnded(session) // else two snapshots of the session would be taken at once
  const folds = await foldsOf(host, sessionId)
  if (folds.kind === "refused") return folds
  const { state } = folds.value
  const chosen = turnsToUndo(state, turns)
  if (chosen.length < turns) return refused({ code: "context.no-turns", turns })
  const source = { id: sessionId, state, log: host.log, fileHistory: host.fileHistory }
  const report = await revertTurns(source, chosen, { dryRun: true })
  return ok({ ...report, conversation: rewindTarget(state, chosen) === undefined ? "kept" : "rewound" })
}

export async function undoReport(
  host: SessionHost,
  sessionId: SessionId,
): Promise<Outcome<{ readonly report?: UndoReport | undefined }>> {
  const session = await openInThisHost(host, sessionId)
  if (session === undefined) return refused({ code: "session.unknown", wanted: sessionId })
  await undoSettled(session)
  return ok({ report: session.state.lastUndo })
}

/** Resolves at once if no undo runs. */
function undoSettled(session: SessionActor): Promise<void> {
  if (session.state.undoing === undefined) return Promise.resolve()
  const { promise, resolve } = Promise.withResolvers<void>()
  const unwatch = session.watch((item) => {
    if (item.kind === "lost" || (item.kind === "event" && item.recorded.event.type === "undo.ended")) resolve()
  })
  return promise.finally(unwatch)
}
