// Loads the engine while the session is being stored: with the log writer of this home still starting, that takes as long.
// The parts are loaded in turns of the event loop of their own, so that `ready` waits for one of them at most.
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises"

/** A running log writer answers sooner. */
const PATIENCE_MS = 5

/** Each needs the ones before it and loads about as much. */
const parts = [
  () => import("../../session/decide.ts"),
  () => import("../../runner/session-actor.ts"),
  () => import("../../host/session-host.ts"),
  () => import("../../host/local-port.ts"),
  () => import("../settings/session-settings.ts"),
  () => import("../compose.ts"),
  () => import("./serve.ts"),
]

/** Resolves when all parts are loaded, or the work is done: its caller then loads the rest. */
export async function loadEngineDuring(work: Promise<unknown>): Promise<void> {
  let isDone = false
  const done = work.then(
    () => (isDone = true),
    () => (isDone = true), // its caller reports it
  )
  await Promise.race([done, pause(PATIENCE_MS)])
  for (const part of parts) {
    if (isDone) return
    await part()
    await nextTurn()
  }
}
